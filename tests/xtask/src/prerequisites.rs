//! What the end-to-end tests need on the machine.

use std::process::Command;

use anyhow::{Result, bail};

use crate::tool::{say, version};

/// One thing that has to be there.
pub(crate) struct Prerequisite<'a> {
    pub(crate) name: &'a str,
    /// What was found, or nothing.
    pub(crate) found: Option<String>,
    /// The command that installs it on a Debian or Ubuntu.
    pub(crate) install: &'a str,
}

/// Prints the prerequisites, which all parts share, and fails with the command to install each one that is missing.
pub(crate) fn check() -> Result<()> {
    let prerequisites = [
        Prerequisite {
            name: "python3 with pip",
            found: version(Command::new("python3").args(["-m", "pip", "--version"])).map(|text| first_words(&text)),
            install: "apt-get install -y python3-pip",
        },
        Prerequisite {
            name: "mvn",
            found: version(Command::new("mvn").args(["--batch-mode", "--version"])),
            install: "apt-get install -y maven",
        },
        Prerequisite {
            name: "gpg",
            found: version(Command::new("gpg").args(["--batch", "--version"])),
            install: "apt-get install -y gnupg",
        },
        Prerequisite {
            name: "javac of 17 or newer",
            found: fixtures::compiler_home()
                .ok()
                .map(|home| format!("Java {} in {}", home.feature, home.path.display())),
            install: "apt-get install -y openjdk-17-jdk-headless",
        },
    ];
    say("\n==> prerequisites");
    report(&prerequisites)
}

/// `pip 23.2.1 from …` without where it is from.
fn first_words(text: &str) -> String {
    text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

/// Prints what was found, and fails if anything is missing.
pub(crate) fn report(prerequisites: &[Prerequisite<'_>]) -> Result<()> {
    let mut missing = Vec::new();
    for Prerequisite { name, found, install } in prerequisites {
        if let Some(found) = found {
            say(&format!("    {name}: {found}"));
        } else {
            say(&format!("    {name}: missing"));
            missing.push(format!("{name} is missing; hint: `{install}`"));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    bail!("{}", missing.join("\n       "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_missing_one_is_named_with_its_remedy() {
        let one = |name, found: Option<&str>, install| Prerequisite { name, found: found.map(str::to_owned), install };
        let all = [one("a", None, "get a"), one("b", Some("b 1"), "get b"), one("c", None, "get c")];
        let text = report(&all).unwrap_err().to_string();
        assert_eq!(text, "a is missing; hint: `get a`\n       c is missing; hint: `get c`");
        assert!(report(&all[1..2]).is_ok());
    }
}
