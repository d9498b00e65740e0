//! What can go wrong when jars become one.

use std::fmt;

use crate::origin::Origin;

/// How many further paths a message names.
const SAMPLES: usize = 3;

/// What can go wrong when jars become one. [`MergeError::hint`] says what to do about it.
#[derive(Debug, thiserror::Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeError {
    /// Two different files claim one path, and nothing decides between them.
    #[error("two different files claim `{path}`: {first}, and {second}{}", more(others))]
    Conflict {
        /// The path.
        path: String,
        /// The one that came first.
        first: Box<Origin>,
        /// The other one.
        second: Box<Origin>,
        /// Further paths of which the same is true.
        others: Vec<String>,
    },
    /// Two files that are joined entry by entry give one entry different values.
    #[error("two different values of `{key}`: in {first}, and in {second}")]
    Key {
        /// The entry.
        key: String,
        /// The file that came first.
        first: Box<Origin>,
        /// The other one.
        second: Box<Origin>,
    },
    /// A file that must be joined is not in its format.
    #[error("cannot join {origin}: {problem}")]
    Malformed {
        /// The file.
        origin: Box<Origin>,
        /// What is wrong with it.
        problem: String,
    },
    /// A relocation rule is wrong; the message of the cause names it.
    #[error(transparent)]
    Rules {
        /// What is wrong with it.
        source: classfile::relocate::Error,
    },
    /// A class cannot be relocated.
    #[error("cannot relocate {origin}")]
    Relocate {
        /// Where it is.
        origin: Box<Origin>,
        /// Why.
        source: classfile::relocate::Error,
    },
    /// A native method would no longer be found in its library.
    #[error("class `{class}` cannot move: {library} exports its native method `{method}` as: `{symbol}`")]
    Native {
        /// Dotted class name.
        class: String,
        /// Name of the method.
        method: String,
        /// The symbol.
        symbol: String,
        /// The library.
        library: Box<Origin>,
    },
    /// An input was relocated by the same rule before, and would be once more.
    #[error("`{jar}` was already relocated by this rule, and would move again: `{rule}`")]
    AlreadyRelocated {
        /// The input.
        jar: String,
        /// The rule.
        rule: String,
    },
    /// A rule speaks of the id of an extension where there is none.
    #[error("relocation rule `{from}` to `{to}`: `{{id}}` stands for the id of an extension, and there is none")]
    NoId {
        /// Left side.
        from: String,
        /// Right side.
        to: String,
    },
    /// A class names another one that two places which it sees move differently.
    #[error("{origin} names `{class}`, which moves {first} and {second}")]
    PlacesDisagree {
        /// The class that names it.
        origin: Box<Origin>,
        /// Dotted name of the class that moves.
        class: String,
        /// Where it moves to in one place.
        first: Box<Target>,
        /// Where it moves to in the other.
        second: Box<Target>,
    },
    /// A rule would move a class that must keep its name.
    #[error("relocation rule `{from}` to `{to}` would move {what}: `{class}`")]
    Fixed {
        /// Left side.
        from: String,
        /// Right side.
        to: String,
        /// Dotted name of the class.
        class: String,
        /// What it is.
        what: String,
    },
    /// There is nothing to merge.
    #[error("no jar to merge")]
    NoInput,
}

/// The new name of a class in one place of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Dotted name.
    pub name: String,
    /// What the place is.
    pub place: String,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "to `{}` in {}", self.name, self.place)
    }
}

/// The end of a message about several paths.
fn more(others: &[String]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = others.iter().take(SAMPLES).map(|path| format!("`{path}`")).collect();
    let rest = others.len() - shown.len();
    let rest = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    format!("; likewise {}{rest}", shown.join(", "))
}

impl MergeError {
    /// The remedy.
    pub fn hint(&self) -> String {
        let decide =
            "decide with `--merge PATH=RULE` or in `[merge]`; rules are `first`, `last`, `concatenate` and `append`";
        match self {
            Self::Conflict { .. } => format!("{decide}, and a path may hold `*` and `**`"),
            Self::Key { .. } => format!("make the inputs agree, or {decide}"),
            Self::Malformed { .. } => format!("correct the file, leave the jar out, or {decide}"),
            Self::Rules { source } | Self::Relocate { source, .. } => source
                .hint()
                .unwrap_or_else(|| "compile the class again, or keep it with a rule that has two equal sides".into()),
            Self::Native { class, .. } => format!("keep the class with the rule `={class}={class}`"),
            Self::AlreadyRelocated { .. } => "build from the original jars".into(),
            Self::Fixed { class, .. } => {
                format!("narrow the rule, or keep the class with `\"={class}\" = \"{class}\"` beside it")
            }
            Self::NoId { .. } => "write the name out".into(),
            Self::PlacesDisagree { .. } => "move it to one name in both, with one rule under `[relocate]`".into(),
            Self::NoInput => "name at least one jar".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_both_origins_and_further_paths() {
        let file = |path: &str| Box::new(Origin::File(path.into()));
        let conflict = |others: &[&str]| MergeError::Conflict {
            path: "a".into(),
            first: file("x"),
            second: file("y"),
            others: others.iter().map(|path| (*path).to_owned()).collect(),
        };
        let start = "two different files claim `a`: `x`, and `y`";
        assert_eq!(conflict(&[]).to_string(), start);
        assert_eq!(conflict(&["b", "c"]).to_string(), format!("{start}; likewise `b`, `c`"));
        assert_eq!(
            conflict(&["b", "c", "d", "e", "f"]).to_string(),
            format!("{start}; likewise `b`, `c`, `d` and 2 more")
        );
        let key = MergeError::Key { key: "k".into(), first: file("x"), second: file("y") };
        assert_eq!(key.to_string(), "two different values of `k`: in `x`, and in `y`");
        let fixed = MergeError::Fixed {
            from: "a".into(),
            to: "b".into(),
            class: "a.C".into(),
            what: "a class of the agent".into(),
        };
        assert_eq!(fixed.to_string(), "relocation rule `a` to `b` would move a class of the agent: `a.C`");
        assert_eq!(fixed.hint(), "narrow the rule, or keep the class with `\"=a.C\" = \"a.C\"` beside it");
        let target = |name: &str, place: &str| Box::new(Target { name: name.into(), place: place.into() });
        let disagree = MergeError::PlacesDisagree {
            origin: file("x"),
            class: "a.C".into(),
            first: target("b.C", "the section `agent`"),
            second: target("c.C", "the section `client`"),
        };
        let message =
            "`x` names `a.C`, which moves to `b.C` in the section `agent` and to `c.C` in the section `client`";
        assert_eq!(disagree.to_string(), message);
        assert_eq!(disagree.hint(), "move it to one name in both, with one rule under `[relocate]`");
        let no_id = MergeError::NoId { from: "a".into(), to: "{id}.a".into() };
        let message = "relocation rule `a` to `{id}.a`: `{id}` stands for the id of an extension, and there is none";
        assert_eq!((no_id.to_string().as_str(), no_id.hint().as_str()), (message, "write the name out"));
        let malformed = MergeError::Malformed { origin: file("x"), problem: "it ends early".into() };
        assert_eq!(malformed.to_string(), "cannot join `x`: it ends early");
    }
}
