//! Texts of commands that users can copy into a shell.

use std::path::Path;

/// A path as one word of a POSIX shell, in single quotes where that is needed.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    // What begins with a hyphen is an option, whatever quotes it.
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_take_apart_is_quoted() {
        for (path, expected) in [
            ("a/b-1.0_x.jar", "a/b-1.0_x.jar"),
            ("ä/b", "ä/b"),
            ("a b", "'a b'"),
            ("$HOME", "'$HOME'"),
            ("it's", "'it'\\''s'"),
            ("-x", "./-x"),
            ("a;b", "'a;b'"),
            ("~", "'~'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }
}
