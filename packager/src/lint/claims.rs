//! Id, version, and the versions of the agent's API and of Java that the extension claims to work with.

use manifests::extension::{DEFAULT_API_VERSION, ExtensionMetadata, check_written_id};

use super::{Facts, Finding};
use crate::class::dotted;

/// The version of the agent's API that this program embeds extensions for, as [`DEFAULT_API_VERSION`] spells it.
const API: (u32, u32) = (3, 0);
/// Class files of Java 1 would have this major version less one: 52 is Java 8.
const JAVA_0: u16 = 44;

pub(super) fn check(metadata: &ExtensionMetadata, facts: &[Facts<'_>], findings: &mut Vec<Finding>) {
    if let Err(error) = check_written_id(&metadata.id) {
        findings.push(Finding::error("id", error.to_string(), error.hint().unwrap_or_default()));
    }
    if let Err(reason) = semver::Version::parse(&metadata.version) {
        let text = format!("`{}` is no semantic version: {reason}", metadata.version);
        findings.push(Finding::error("version", text, "use a version such as `1.2.0` or `1.2.0-SNAPSHOT`"));
    }
    match least(&metadata.api_version) {
        None => {
            let text = format!("`{}` is no least version of the agent's API", metadata.api_version);
            findings.push(Finding::error("api-version", text, format!("use `{DEFAULT_API_VERSION}`")));
        }
        Some(claimed) if claimed > API => {
            let text = format!("`{}` is newer than the agent's API, {}.{}", metadata.api_version, API.0, API.1);
            findings.push(Finding::error("api-version", text, format!("use `{DEFAULT_API_VERSION}`")));
        }
        Some(_) => {}
    }
    java(metadata, facts, findings);
}

fn java(metadata: &ExtensionMetadata, facts: &[Facts<'_>], findings: &mut Vec<Finding>) {
    let Some((mut claimed, minor)) = least(&metadata.java_version) else {
        let text = format!("`{}` is no least version of Java", metadata.java_version);
        return findings.push(Finding::error("java-version", text, "use a version such as `8+` or `11+`"));
    };
    // The old spelling of Java 8 is 1.8.
    if claimed == 1 {
        claimed = minor;
    }
    let Some(newest) = facts.iter().max_by_key(|facts| facts.major) else { return };
    let needed = u32::from(newest.major.saturating_sub(JAVA_0));
    if needed > claimed {
        let count = facts.iter().filter(|facts| u32::from(facts.major.saturating_sub(JAVA_0)) > claimed).count();
        let text = format!(
            "`{}` is claimed, but classes are for newer ones, {count}, such as `{}` for Java {needed}",
            metadata.java_version,
            dotted(newest.name())
        );
        let hint = format!("compile with `--release {claimed}`, or set `java-version = \"{needed}+\"`");
        findings.push(Finding::error("java-version", text, hint));
    }
}

/// Major and minor number of a least version, such as `3.0+`, `3.0.1` or `11`.
fn least(text: &str) -> Option<(u32, u32)> {
    let text = text.trim().strip_suffix('+').unwrap_or(text.trim());
    let text = text.split_once('-').map_or(text, |(numbers, _)| numbers);
    let mut numbers = text.split('.').map(str::parse::<u32>);
    let major = numbers.next()?.ok()?;
    let minor = numbers.next().unwrap_or(Ok(0)).ok()?;
    numbers.all(|number| number.is_ok()).then_some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::least;

    #[test]
    fn least_versions() {
        assert_eq!(least("3.0+"), Some((3, 0)));
        assert_eq!(least("3.1.2-SNAPSHOT"), Some((3, 1)));
        assert_eq!(least(" 11 "), Some((11, 0)));
        assert_eq!(least("1.8+"), Some((1, 8)));
        for text in ["", "+", "three", "3.x", "3..0"] {
            assert_eq!(least(text), None, "{text}");
        }
    }
}
