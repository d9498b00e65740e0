//! `META-INF/services/*`: every provider of every jar, each once.

use super::groovy;
use super::relocate::Relocation;
use super::rule::{Rule, Source};
use crate::error::Result;
use crate::merge::MergeError;
use crate::origin::Origin;

/// Where provider files lie.
pub(crate) const FOLDER: &str = "META-INF/services/";

/// Provider files of `java.util.ServiceLoader`.
pub(super) struct Services;

impl Rule for Services {
    fn name(&self) -> &'static str {
        "providers"
    }

    fn matches(&self, path: &str) -> bool {
        path.strip_prefix(FOLDER).is_some_and(|name| !name.is_empty() && !name.contains('/'))
            && !groovy::is_module(path)
    }

    fn relocate(&self, source: &Source, relocation: &Relocation) -> Result<Option<Vec<u8>>> {
        relocated_lines(source, relocation)
    }

    /// The order of the inputs stays, since `ServiceLoader` hands providers out in it. Comments go: they speak of a jar
    /// that no longer is.
    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        let mut providers: Vec<String> = Vec::new();
        for source in sources {
            for provider in self::providers(&source.bytes, &source.origin)? {
                if !providers.contains(&provider) {
                    providers.push(provider);
                }
            }
        }
        Ok(to_bytes(&providers))
    }
}

/// The providers that a file names, in its order.
///
/// # Errors
/// The file is not UTF-8, or a line holds more than one word.
pub(crate) fn providers(bytes: &[u8], origin: &Origin) -> Result<Vec<String>> {
    let malformed = |problem: String| MergeError::Malformed { origin: Box::new(origin.clone()), problem };
    let text = std::str::from_utf8(bytes).map_err(|_| malformed("it is not UTF-8".into()))?;
    let mut providers = Vec::new();
    // As in `ServiceLoader`, a lone CR ends a line too.
    for (number, line) in text.replace("\r\n", "\n").split(['\n', '\r']).enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.contains(char::is_whitespace) {
            return Err(malformed(format!("line {} holds more than one name: `{line}`", number + 1)).into());
        }
        if !line.is_empty() {
            providers.push(line.to_owned());
        }
    }
    Ok(providers)
}

/// A list of classes after they have moved.
pub(super) fn relocated_lines(source: &Source, relocation: &Relocation) -> Result<Option<Vec<u8>>> {
    let mut changed = false;
    let mut names = providers(&source.bytes, &source.origin)?;
    for name in &mut names {
        if let Some(new) = relocation.class(name) {
            *name = new;
            changed = true;
        }
    }
    Ok(changed.then(|| to_bytes(&names)))
}

/// The file that names `providers`.
pub(super) fn to_bytes(providers: &[String]) -> Vec<u8> {
    providers.iter().flat_map(|provider| [provider.as_str(), "\n"]).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(texts: &[&str]) -> Result<String> {
        let sources: Vec<Source> = texts
            .iter()
            .map(|text| Source { bytes: text.as_bytes().to_vec(), origin: Origin::File("s".into()) })
            .collect();
        Services.join(&sources).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn open_lines_comments_and_any_line_end() {
        assert_eq!(joined(&["org.dep.A", "# note\r\norg.dep.B\r\norg.dep.A\r\n"]).unwrap(), "org.dep.A\norg.dep.B\n");
        assert_eq!(joined(&[" a.A # x\n\n#\n", "a.B\ra.C"]).unwrap(), "a.A\na.B\na.C\n");
    }

    #[test]
    fn two_names_on_a_line_are_refused() {
        let message = joined(&["a.A", "a.B\na.C a.D"]).unwrap_err().to_string();
        assert_eq!(message, "cannot join `s`: line 2 holds more than one name: `a.C a.D`");
    }
}
