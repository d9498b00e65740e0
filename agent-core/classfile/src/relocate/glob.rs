//! Patterns of names that a rule leaves alone.

/// One exclusion, in the internal form of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Glob {
    /// `a/b/**`: the package and everything below. Nearly every exclusion is of this kind.
    Below {
        /// The package in internal form.
        slashed: Vec<u8>,
        /// The same with dots.
        dotted: Vec<u8>,
    },
    /// Any other pattern.
    Pattern(Vec<u8>),
}

impl Glob {
    /// Reads a dotted pattern: `**` stands for anything, `*` for anything within a package, `?` for one character.
    pub(super) fn new(dotted: &str) -> Self {
        let pattern = dotted.replace('.', "/").into_bytes();
        match pattern.strip_suffix(b"/**") {
            Some(package) if !package.iter().any(|b| matches!(b, b'*' | b'?')) => {
                let package = &dotted[..package.len()];
                Self::Below { slashed: package.replace('.', "/").into_bytes(), dotted: package.as_bytes().into() }
            }
            _ => Self::Pattern(pattern),
        }
    }

    /// Whether it matches a name. A pattern that ends with a class covers the classes nested in it.
    pub(super) fn matches(&self, name: &[u8], separator: u8) -> bool {
        match self {
            Self::Below { slashed, dotted } => {
                let package = if separator == b'/' { slashed } else { dotted };
                name.starts_with(package) && name.get(package.len()).is_none_or(|&b| b == separator)
            }
            Self::Pattern(pattern) => {
                let name: Vec<u8> = name.iter().map(|&b| if b == separator { b'/' } else { b }).collect();
                matches(pattern, &name)
                    || name.iter().enumerate().any(|(at, &b)| b == b'$' && at > 0 && matches(pattern, &name[..at]))
            }
        }
    }
}

/// Matches with one set of reachable pattern positions, so that no pattern takes exponential time.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip_stars(pattern, &mut reached);
    for &byte in name {
        let mut next = vec![false; pattern.len() + 1];
        let mut at = 0;
        while at < pattern.len() {
            let step = if pattern[at..].starts_with(b"**") { 2 } else { 1 };
            if reached[at] {
                match pattern[at] {
                    b'*' => next[at] |= step == 2 || byte != b'/',
                    b'?' => next[at + 1] |= byte != b'/',
                    literal => next[at + 1] |= literal == byte,
                }
            }
            at += step;
        }
        reached = next;
        skip_stars(pattern, &mut reached);
    }
    reached[pattern.len()]
}

/// A star may also stand for nothing.
fn skip_stars(pattern: &[u8], reached: &mut [bool]) {
    let mut at = 0;
    while at < pattern.len() {
        let step = if pattern[at..].starts_with(b"**") { 2 } else { 1 };
        if pattern[at] == b'*' && reached[at] {
            reached[at + step] = true;
        }
        at += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("a.b.**", "a/b", true),
            ("a.b.**", "a/b/C", true),
            ("a.b.**", "a/b/c/D", true),
            ("a.b.**", "a/bc/D", false),
            ("a.*", "a/B", true),
            ("a.*", "a/b/C", false),
            ("a.*.C", "a/b/C", true),
            ("a.**.C", "a/b/c/C", true),
            ("a.**.C", "a/b/c/D", false),
            ("a.B?", "a/B1", true),
            ("a.B?", "a/B", false),
            ("a.B", "a/B", true),
            ("a.B", "a/B$In$1", true),
            ("a.B", "a/BC", false),
            ("**Test", "x/y/MyTest", true),
            ("**", "x", true),
            ("a.b*", "a/b", true),
        ] {
            assert_eq!(Glob::new(pattern).matches(name.as_bytes(), b'/'), expected, "{pattern} {name}");
            assert_eq!(Glob::new(pattern).matches(name.replace('/', ".").as_bytes(), b'.'), expected, "{pattern}");
        }
    }

    #[test]
    fn many_stars_end() {
        let pattern = "*a".repeat(500);
        assert!(!Glob::new(&pattern).matches("a".repeat(2000).replace("aa", "ab").as_bytes(), b'/'));
    }
}
