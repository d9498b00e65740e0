//! Why another vendor's jar cannot be built.

use std::path::PathBuf;

use crate::origin::Origin;

/// Further classes that a message names.
const SAMPLES: usize = 3;

/// What can go wrong with `layout = "foreign"`. [`Error::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to build from.
    #[error("{at}: `layout = \"foreign\"` needs a base, or `[bootstrap]` with `from` or `include`")]
    NoInput {
        /// Place in `agent.toml`.
        at: String,
    },
    /// The base is a jar with our own Loader.
    #[error("base is no foreign jar but one of ours: `{}`", jar.display())]
    OwnBase {
        /// The base.
        jar: PathBuf,
    },
    /// The folder of a section, or of `[[files]]`, cannot be one.
    #[error("{at}: `{path}` cannot be {what}: {problem}")]
    Folder {
        /// Place in `agent.toml`.
        at: String,
        /// The path as written.
        path: String,
        /// `a section` or `a folder of the jar`.
        what: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The suffix of a section's classes is none.
    #[error("{at}: suffix of section `{path}` {problem}: `{suffix}`")]
    Suffix {
        /// Place in `agent.toml`.
        at: String,
        /// The section.
        path: String,
        /// The suffix as written.
        suffix: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Two sections have one path.
    #[error("{at}: two sections have the path: `{path}`")]
    SectionTwice {
        /// Place of the second one in `agent.toml`.
        at: String,
        /// The path.
        path: String,
    },
    /// A pattern that matches nothing.
    #[error("{at}: `{key}` matches no {what}: `{pattern}`")]
    Unmatched {
        /// Place in `agent.toml`.
        at: String,
        /// The key.
        key: &'static str,
        /// What it could match.
        what: &'static str,
        /// The pattern.
        pattern: String,
    },
    /// A package to flatten is none.
    #[error("{at}: `flatten-versions` takes names of packages such as `com.acme`, not: `{name}`")]
    Package {
        /// Place in `agent.toml`.
        at: String,
        /// The name as written.
        name: String,
    },
    /// No attribute names a class that the JVM starts.
    #[error("{at}: the manifest names no entry class: `Premain-Class` and `Agent-Class` are absent")]
    NoEntry {
        /// The `agent.toml`.
        at: String,
    },
    /// An entry class is not where the JVM looks.
    #[error("`{name}` names a class that is not at the root of the jar: `{class}`")]
    NoEntryClass {
        /// The attribute.
        name: &'static str,
        /// Dotted name of the class.
        class: String,
        /// Where it is masked.
        masked: Option<Box<Origin>>,
    },
    /// What was built is no sound agent jar, which is the fault of one of its inputs.
    #[error("the jar that was built is not sound, problems: {count}, first: {first}")]
    Faulty {
        /// Number of problems.
        count: usize,
        /// The first one.
        first: String,
        /// The base.
        base: Option<PathBuf>,
    },
    /// Classes are visible to the bootstrap loader and masked too.
    #[error(
        "class `{class}` would be both at the root ({root}) and in the section `{section}` ({masked}){}",
        more(others)
    )]
    Both {
        /// Dotted name of the first one.
        class: String,
        /// Where it comes from at the root.
        root: Box<Origin>,
        /// The section.
        section: String,
        /// Where it comes from in the section.
        masked: Box<Origin>,
        /// Dotted names of further ones.
        others: Vec<String>,
    },
    /// A command of `[[generate]]` cannot be started.
    #[error("{at}: cannot start `{command}`")]
    NotStarted {
        /// Place in `agent.toml`.
        at: String,
        /// The command.
        command: String,
        /// Why.
        source: std::io::Error,
    },
    /// A command of `[[generate]]` failed.
    #[error("{at}: `{command}` failed, {status}{}", tail(last))]
    Failed {
        /// Place in `agent.toml`.
        at: String,
        /// The command.
        command: String,
        /// Its exit status, or that it took too long.
        status: String,
        /// Its last lines on standard error.
        last: Vec<String>,
    },
    /// A command of `[[generate]]` wrote something that it did not say it would.
    #[error("{at}: `{command}` {what} without declaring it among its `outputs`: `{path}`{}", more(others))]
    Undeclared {
        /// Place in `agent.toml`.
        at: String,
        /// The command.
        command: String,
        /// What it did with the first file.
        what: &'static str,
        /// Path of the first file in the jar.
        path: String,
        /// Paths of further ones.
        others: Vec<String>,
    },
    /// A command of `[[generate]]` left something that is no file of a jar.
    #[error("{at}: `{command}` left something that cannot go into a jar: `{}`: {problem}", path.display())]
    NotAFile {
        /// Place in `agent.toml`.
        at: String,
        /// The command.
        command: String,
        /// Path in the jar.
        path: PathBuf,
        /// What it is.
        problem: &'static str,
    },
    /// The files of a jar cannot be laid out on this disk.
    #[error("{at}: cannot lay out the jar for `[[generate]]`: {origin} cannot be written as `{path}`")]
    NotStaged {
        /// Place in `agent.toml`.
        at: String,
        /// Path in the jar.
        path: String,
        /// Where the file comes from.
        origin: Box<Origin>,
        /// Why.
        source: std::io::Error,
    },
}

fn more(others: &[String]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = others.iter().take(SAMPLES).map(|name| format!("`{name}`")).collect();
    let rest = others.len() - shown.len();
    let rest = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    format!("; likewise {}{rest}", shown.join(", "))
}

fn tail(last: &[String]) -> String {
    if last.is_empty() { " and silent".to_owned() } else { format!(", its last lines: {}", last.join(" | ")) }
}

impl Error {
    /// The remedy.
    pub fn hint(&self) -> String {
        match self {
            Self::NoInput { .. } => "name the vendor's jar as `base = { file = … }`, or the jars to begin with".into(),
            Self::OwnBase { .. } => "leave `layout` out: such a base is extended by `[[extension]]` and `[probes]`".into(),
            Self::Folder { .. } => "write a relative path such as `inst` or `META-INF/acme/agent`".into(),
            Self::Suffix { .. } => "write one such as `.classdata` or `.esclazz`".into(),
            Self::SectionTwice { .. } => "name all jars in `from` of one section".into(),
            Self::Unmatched { key, .. } if *key == "flatten-versions" => {
                "remove it, or correct it: none of the jars has versioned copies of this package".into()
            }
            Self::Unmatched { key, .. } if *key == "outputs" => {
                "remove it, or correct it: patterns are paths in the jar, and each must match a file".into()
            }
            Self::Unmatched { .. } => {
                "remove it, or correct it: patterns match whole names in the jars that are read; `**` stands for any folders".into()
            }
            Self::Package { .. } => "write dots between the parts, and no wildcards: packages below count too".into(),
            Self::NoEntry { .. } => "set `Premain-Class` under `[manifest.attributes]`".into(),
            Self::NoEntryClass { masked: Some(origin), .. } => {
                format!("the JVM looks at the root only: add {origin} to `[bootstrap]`")
            }
            Self::NoEntryClass { .. } => "check the name, and that a jar of `[bootstrap] from` has the class".into(),
            Self::Both { .. } => {
                "two classes of one name are two types at run time: keep each in one place, or list it under `[verify] allow-both`"
                    .into()
            }
            Self::Faulty { base: Some(base), .. } => format!(
                "`fatagent verify {}` shows whether it is the base; else correct the input that is named",
                crate::shell::quoted(base)
            ),
            Self::Faulty { base: None, .. } => "correct the input that is named, or exclude the file".into(),
            Self::NotStarted { .. } => {
                "a name with `/` is relative to `agent.toml`, any other one is looked up on the `PATH`".into()
            }
            Self::Failed { .. } => {
                "run it by hand in a folder with the files of the jar, with `FATAGENT_STAGE` and `FATAGENT_PROJECT` set".into()
            }
            Self::Undeclared { .. } => "declare it, or let the command write elsewhere".into(),
            Self::NotAFile { .. } => "let the command write ordinary files with UTF-8 names only".into(),
            Self::NotStaged { .. } => {
                "names that differ in case only need a disk that tells them apart: choose another `TMPDIR`".into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_first_and_count_the_others() {
        let origin = |path: &str| Box::new(Origin::File(path.into()));
        let both = |others: &[&str]| Error::Both {
            class: "a.B".into(),
            root: origin("x"),
            section: "inst".into(),
            masked: origin("y"),
            others: others.iter().map(|name| (*name).to_owned()).collect(),
        };
        let start = "class `a.B` would be both at the root (`x`) and in the section `inst` (`y`)";
        assert_eq!(both(&[]).to_string(), start);
        assert_eq!(both(&["c", "d", "e", "f"]).to_string(), format!("{start}; likewise `c`, `d`, `e` and 1 more"));
        let failed = |last: &[&str]| Error::Failed {
            at: "agent.toml:3:1".into(),
            command: "tool x".into(),
            status: "exit status: 3".into(),
            last: last.iter().map(|line| (*line).to_owned()).collect(),
        };
        assert_eq!(failed(&[]).to_string(), "agent.toml:3:1: `tool x` failed, exit status: 3 and silent");
        assert_eq!(
            failed(&["one", "two"]).to_string(),
            "agent.toml:3:1: `tool x` failed, exit status: 3, its last lines: one | two"
        );
    }
}
