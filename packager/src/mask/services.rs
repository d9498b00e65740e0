//! Service files, as verification reads them.

/// Where providers of services are named.
pub(super) const SERVICES: &str = "META-INF/services/";

/// The class names in the text of a service file.
pub(crate) fn providers(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split(['\n', '\r']).map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_comments_at_any_line_end() {
        let found: Vec<&str> = providers("# note\r\norg.dep.B\r org.dep.A # again\r\n").collect();
        assert_eq!(found, ["org.dep.B", "org.dep.A"]);
    }
}
