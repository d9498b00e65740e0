//! Service files of one section, joined.

use std::collections::BTreeSet;

/// Where providers of services are named.
pub(super) const SERVICES: &str = "META-INF/services/";

/// The providers of several files of one service, each once, in input order; comments are left out.
pub(super) fn join<'a>(files: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut seen = BTreeSet::new();
    let mut joined = String::new();
    for file in files {
        let text = String::from_utf8_lossy(file);
        for provider in providers(&text) {
            if seen.insert(provider.to_owned()) {
                joined.push_str(provider);
                joined.push('\n');
            }
        }
    }
    joined.into_bytes()
}

/// The class names in the text of a service file.
pub(crate) fn providers(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split(['\n', '\r']).map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_provider_once_in_input_order() {
        let joined = join([&b"org.dep.A"[..], b"# note\r\norg.dep.B\r\norg.dep.A # again\r\n"]);
        assert_eq!(String::from_utf8(joined).unwrap(), "org.dep.A\norg.dep.B\n");
    }
}
