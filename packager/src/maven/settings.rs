//! `settings.xml`: where the local repository is.

use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::Event;

use super::Error;

/// The element, below `settings`.
const ELEMENT: &[u8] = b"localRepository";

/// The folder that `localRepository` names, with `${user.home}` and `${env.NAME}` expanded.
pub(super) fn local_repository(
    bytes: &[u8],
    path: &Path,
    home: &Path,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<PathBuf>, Error> {
    let fail = |source: quick_xml::Error| Error::Settings { path: path.to_owned(), source: Box::new(source) };
    let mut reader = Reader::from_reader(bytes);
    let mut open: Vec<Vec<u8>> = Vec::new();
    let mut text = String::new();
    loop {
        match reader.read_event().map_err(fail)? {
            Event::Start(start) => open.push(start.local_name().as_ref().to_vec()),
            Event::End(_) => {
                open.pop();
            }
            Event::Text(part) if is_there(&open) => text.push_str(&part.decode().map_err(|error| fail(error.into()))?),
            Event::CData(part) if is_there(&open) => text.push_str(&part.decode().map_err(|error| fail(error.into()))?),
            Event::GeneralRef(reference) if is_there(&open) => {
                let name = reference.decode().map_err(|error| fail(error.into()))?;
                match reference.resolve_char_ref().map_err(fail)? {
                    Some(character) => text.push(character),
                    None => text.push_str(quick_xml::escape::resolve_predefined_entity(&name).unwrap_or_default()),
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if let Some(name) = open.last() {
        let name = String::from_utf8_lossy(name).into_owned();
        return Err(fail(quick_xml::errors::IllFormedError::MissingEndTag(name).into()));
    }
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    expand(text, path, home, environment).map(|folder| Some(PathBuf::from(folder)))
}

fn is_there(open: &[Vec<u8>]) -> bool {
    matches!(open, [root, element] if root == b"settings" && element == ELEMENT)
}

fn expand(text: &str, path: &Path, home: &Path, environment: &dyn Fn(&str) -> Option<String>) -> Result<String, Error> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let unknown = |name: &str| Error::Expression { path: path.to_owned(), expression: format!("${{{name}") };
        let (name, after) = after.split_once('}').ok_or_else(|| unknown(after))?;
        let value = match name.strip_prefix("env.") {
            Some(variable) => environment(variable),
            None if name == "user.home" => home.to_str().map(str::to_owned),
            None => None,
        };
        out.push_str(before);
        out.push_str(&value.ok_or_else(|| unknown(&format!("{name}}}")))?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}
