//! Licence, notice and readme of an extension, which lie beside its jars.

/// Beginnings of their names, in lower case.
const LICENCES: [&str; 3] = ["license", "licence", "copying"];
const OTHERS: [&str; 2] = ["notice", "readme"];

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
    // `LICENSE`, `LICENSE.txt`, `LICENSE-MIT`: not `Licensed.class`.
    words
        .iter()
        .any(|word| name.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_are_known_by_their_names() {
        assert!(is_licence("LICENSE") && is_licence("licence.txt") && is_licence("LICENSE-MIT"));
        assert!(is_readme("README.md") && is_paper("NOTICE") && is_paper("Copying"));
        assert!(!is_paper("Licensed.txt") && !is_paper("read.me") && !is_readme("NOTICE"));
    }
}
