//! Licence, notice and readme of an extension, which lie beside its jars.

/// Beginnings of their names, in lower case.
const LICENCES: [&str; 3] = ["license", "licence", "copying"];
const OTHERS: [&str; 2] = ["notice", "readme"];
/// Ends of the names of texts.
const ENDS: [&str; 5] = [".txt", ".md", ".html", ".adoc", ".rst"];

/// Whether a file is a licence, by its name.
pub(crate) fn is_licence(name: &str) -> bool {
    begins(name, &LICENCES)
}

/// Whether a file is a readme, by its name.
pub(crate) fn is_readme(name: &str) -> bool {
    begins(name, &OTHERS[1..])
}

/// Whether a file is for people who read it, by its name.
pub(crate) fn is_paper(name: &str) -> bool {
    is_licence(name) || begins(name, &OTHERS)
}

fn begins(name: &str, words: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    let stem = ENDS.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    // `LICENSE`, `LICENSE.txt`, `LICENSE-MIT`, `LICENSE-APACHE-2.0`: not `Licensed.txt`, and not `license.key`.
    let is_name = |rest: &str| {
        let parts = rest.split('.');
        let is_word = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+'))
        };
        parts.enumerate().all(|(at, part)| is_word(part) && (at == 0 || part.as_bytes()[0].is_ascii_digit()))
    };
    words
        .iter()
        .filter_map(|word| stem.strip_prefix(word))
        .any(|rest| rest.is_empty() || rest.strip_prefix(['-', '_']).is_some_and(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_are_known_by_their_names() {
        assert!(is_licence("LICENSE") && is_licence("licence.txt") && is_licence("LICENSE-MIT"));
        assert!(is_readme("README.md") && is_paper("NOTICE") && is_paper("Copying"));
        assert!(is_licence("LICENSE-APACHE-2.0") && is_licence("License-MIT.txt") && is_readme("README_de.html"));
        assert!(!is_paper("Licensed.txt") && !is_paper("read.me") && !is_readme("NOTICE"));
        for name in
            ["license.key", "license.lic", "LICENSE.java", "license-server.pem", "license-", "notice.class", ".license"]
        {
            assert!(!is_paper(name), "{name}");
        }
    }
}
