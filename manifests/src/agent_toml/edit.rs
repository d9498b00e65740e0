//! Adding to `agent.toml`, or to the same tables of a `Cargo.toml`, and removing from it, with everything else kept as it is.

mod arrays;
mod tables;
#[cfg(test)]
mod tests;

use toml_edit::{Array, DocumentMut, InlineTable, Item as TomlItem, TableLike, Value};

use super::{AgentToml, CargoPackage, ExtensionSource, Relocation};
use crate::toml::Environment;
use crate::{Error, suggest};

/// The tables of a `Cargo.toml` that lead to ours.
const CARGO: [&str; 3] = ["package", "metadata", "fatagent"];

/// Which file a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `agent.toml`.
    Agent,
    /// `Cargo.toml`.
    Cargo,
}

/// What is added or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An `[[extension]]`.
    Extension(ExtensionSource),
    /// A pattern of `[probes] include`.
    Probe(String),
    /// A rule of `[relocate]`. To remove one, its target need not be known.
    Relocation {
        /// Its left side.
        from: String,
        /// Its right side.
        to: Option<String>,
    },
}

/// What becomes of the items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// They are there afterwards.
    Add,
    /// They are not.
    Remove,
}

/// A text after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The text.
    pub text: String,
    /// For each item, whether something was done about it: an item that is added may have been there.
    pub changed: Vec<bool>,
}

impl Item {
    /// The table that it stands in, for messages.
    fn table(&self) -> &'static str {
        match self {
            Self::Extension(_) => "`[[extension]]`",
            Self::Probe(_) => "`[probes] include`",
            Self::Relocation { .. } => "`[relocate]`",
        }
    }
}

impl std::fmt::Display for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Extension(source) => {
                let (key, value) = written(source);
                write!(f, "extension with {key} `{value}`")
            }
            Self::Probe(pattern) => write!(f, "probe `{pattern}`"),
            Self::Relocation { from, to: Some(to) } => write!(f, "relocation `{from}` = `{to}`"),
            Self::Relocation { from, to: None } => write!(f, "relocation of `{from}`"),
        }
    }
}

/// Adds or removes `items` one after the other. The result is read before it is returned; `origin` is what errors call the text.
///
/// # Errors
/// The text is malformed before or afterwards, an item to be removed is not there, or a package is relocated to something else.
pub fn edit(
    text: &str,
    origin: &str,
    kind: Kind,
    how: How,
    items: &[Item],
    environment: Environment<'_>,
) -> Result<Edited, Error> {
    read(text, origin, kind, environment)?;
    let (mark, body) = text.strip_prefix('\u{feff}').map_or(("", text), |body| ("\u{feff}", body));
    let is_crlf = body.contains("\r\n");
    let mut document: DocumentMut = body.replace("\r\n", "\n").parse().map_err(|error: toml_edit::TomlError| {
        // It was read before.
        Error::Edit { origin: origin.to_owned(), reason: error.message().to_owned() }
    })?;
    let mut changed = Vec::new();
    for item in items {
        let done = match how {
            How::Add => add(&mut document, origin, kind, item)?,
            How::Remove => remove(&mut document, origin, kind, item).map(|()| true)?,
        };
        changed.push(done);
    }
    if !changed.contains(&true) {
        return Ok(Edited { text: text.to_owned(), changed });
    }
    let mut edited = document.to_string();
    if !body.ends_with('\n') && edited.ends_with('\n') {
        edited.pop();
    }
    if is_crlf {
        edited = edited.replace('\n', "\r\n");
    }
    let edited = format!("{mark}{edited}");
    read(&edited, origin, kind, environment)?;
    Ok(Edited { text: edited, changed })
}

fn read(text: &str, origin: &str, kind: Kind, environment: Environment<'_>) -> Result<(), Error> {
    match kind {
        Kind::Agent => AgentToml::parse(text, origin, environment).map(drop),
        // What cargo knows of version and name is not asked for.
        Kind::Cargo => {
            let package = CargoPackage { name: Some("package"), version: Some("0.0.0") };
            AgentToml::parse_cargo(text, origin, package, environment).map(drop)
        }
    }
}

fn path(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Agent => &[],
        Kind::Cargo => &CARGO,
    }
}

/// Adds an item; `false` where it is there already.
fn add(document: &mut DocumentMut, origin: &str, kind: Kind, item: &Item) -> Result<bool, Error> {
    let top = tables::find(document, path(kind));
    match item {
        Item::Extension(source) => {
            if extensions(top).iter().any(|known| same(known, source)) {
                return Ok(false);
            }
            let (key, value) = written(source);
            match top_item(document, kind, "extension") {
                Some(TomlItem::Value(Value::Array(array))) => {
                    let mut table = InlineTable::new();
                    table.insert(key, value.into());
                    arrays::push(array, table.into());
                }
                _ => tables::push(document, path(kind), "extension", key, &value),
            }
        }
        Item::Probe(pattern) => {
            if probes(top).iter().any(|known| plain(known) == plain(pattern)) {
                return Ok(false);
            }
            if let Some(TomlItem::Value(Value::Array(known))) = include(document, kind) {
                arrays::push(known, pattern.as_str().into());
            } else {
                let array: Array = [pattern.as_str()].into_iter().collect();
                tables::set(document, path(kind), "probes", "include", array.into());
            }
        }
        Item::Relocation { from, to } => {
            let to = to.clone().unwrap_or_default();
            match relocations(top).into_iter().find(|known| known.from == *from) {
                Some(known) if known.to == to => return Ok(false),
                Some(known) => {
                    return Err(Error::RelocatedElsewhere {
                        origin: origin.to_owned(),
                        from: from.clone(),
                        to: known.to,
                    });
                }
                None => tables::set(document, path(kind), "relocate", from, to.into()),
            }
        }
    }
    Ok(true)
}

fn remove(document: &mut DocumentMut, origin: &str, kind: Kind, item: &Item) -> Result<(), Error> {
    let top = tables::find(document, path(kind));
    let absent = |known: Vec<String>, name: &str| {
        let nearest = suggest::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        let (origin, item, table) = (origin.to_owned(), item.to_string(), item.table());
        Error::NotListed { origin, item, table, nearest, known }
    };
    match item {
        Item::Extension(source) => {
            let known = extensions(top);
            let Some(place) = known.iter().position(|known| same(known, source)) else {
                let line = |source: &ExtensionSource| {
                    let (key, value) = written(source);
                    format!("{key} = \"{value}\"")
                };
                return Err(absent(known.iter().map(line).collect(), &line(source)));
            };
            match top_item(document, kind, "extension") {
                Some(TomlItem::Value(Value::Array(array))) => arrays::remove(array, place),
                _ => tables::remove_nth(document, path(kind), "extension", place),
            }
        }
        Item::Probe(pattern) => {
            let known = probes(top);
            let Some(place) = known.iter().position(|known| plain(known) == plain(pattern)) else {
                return Err(absent(known, pattern));
            };
            if let Some(TomlItem::Value(Value::Array(array))) = include(document, kind) {
                arrays::remove(array, place);
            }
        }
        Item::Relocation { from, to } => {
            let known = relocations(top);
            let found = known.iter().find(|known| known.from == *from);
            match (found, to) {
                (None, _) => return Err(absent(known.into_iter().map(|known| known.from).collect(), from)),
                (Some(found), Some(to)) if found.to != *to => {
                    let (origin, from, to) = (origin.to_owned(), from.clone(), found.to.clone());
                    return Err(Error::RelocatedElsewhere { origin, from, to });
                }
                (Some(_), _) => tables::remove_key(document, path(kind), "relocate", from),
            }
        }
    }
    Ok(())
}

fn top_item<'d>(document: &'d mut DocumentMut, kind: Kind, key: &str) -> Option<&'d mut TomlItem> {
    tables::find_mut(document, path(kind))?.get_mut(key)
}

/// The array of `[probes]`.
fn include(document: &mut DocumentMut, kind: Kind) -> Option<&mut TomlItem> {
    // Not by `TomlItem::get_mut`, which makes what is missing.
    top_item(document, kind, "probes")?.as_table_like_mut()?.get_mut("include")
}

/// The key and the value of an extension's table.
fn written(source: &ExtensionSource) -> (&'static str, String) {
    match source {
        ExtensionSource::Path(path) => ("path", path.clone()),
        ExtensionSource::File(file) => ("file", file.clone()),
        ExtensionSource::Maven(coordinates) => ("maven", coordinates.to_string()),
    }
}

/// Whether both name one extension.
fn same(one: &ExtensionSource, other: &ExtensionSource) -> bool {
    match (one, other) {
        (ExtensionSource::Path(one), ExtensionSource::Path(other))
        | (ExtensionSource::File(one), ExtensionSource::File(other)) => plain(one) == plain(other),
        _ => one == other,
    }
}

/// A path without what changes nothing about it.
fn plain(path: &str) -> String {
    let parts: Vec<&str> = path
        .split('/')
        .enumerate()
        .filter(|(at, part)| *part != "." && (*at == 0 || !part.is_empty()))
        .map(|(_, part)| part)
        .collect();
    parts.join("/")
}

/// The extensions in their order. Those that are malformed were refused before.
fn extensions(top: Option<&dyn TableLike>) -> Vec<ExtensionSource> {
    let source = |table: &dyn TableLike| {
        let text = |key: &str| table.get(key).and_then(TomlItem::as_str).map(str::to_owned);
        let maven = || text("maven").and_then(|text| text.parse().ok()).map(ExtensionSource::Maven);
        text("path").map(ExtensionSource::Path).or_else(|| text("file").map(ExtensionSource::File)).or_else(maven)
    };
    match top.and_then(|top| top.get("extension")) {
        Some(TomlItem::ArrayOfTables(tables)) => tables.iter().filter_map(|table| source(table)).collect(),
        Some(TomlItem::Value(Value::Array(array))) => {
            array.iter().filter_map(|value| value.as_inline_table()).filter_map(|table| source(table)).collect()
        }
        _ => Vec::new(),
    }
}

fn probes(top: Option<&dyn TableLike>) -> Vec<String> {
    let include = top.and_then(|top| top.get("probes")).and_then(|probes| probes.get("include"));
    let array = include.and_then(TomlItem::as_array);
    array.into_iter().flat_map(Array::iter).filter_map(Value::as_str).map(str::to_owned).collect()
}

fn relocations(top: Option<&dyn TableLike>) -> Vec<Relocation> {
    let table = top.and_then(|top| top.get("relocate")).and_then(TomlItem::as_table_like);
    let pairs = table.into_iter().flat_map(TableLike::iter);
    pairs.filter_map(|(from, to)| Some(Relocation { from: from.to_owned(), to: to.as_str()?.to_owned() })).collect()
}
