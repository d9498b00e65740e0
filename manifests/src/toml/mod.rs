//! What the TOML formats have in common: typed tables with positions in every error, and the expressions in strings.

mod expand;
mod reader;

use toml_edit::{Document, Item, TableLike};

pub(crate) use reader::{Context, Table, described};

use crate::Error;

/// Looks up one environment variable; `None` when it is not set.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads a whole text.
pub(crate) fn document<'a>(context: &Context<'_>, text: &'a str) -> Result<Document<&'a str>, Error> {
    Document::parse(text).map_err(|error| Error::Toml {
        at: context.location(error.span().map_or(0, |span| span.start)).into(),
        message: error.message().lines().collect::<Vec<_>>().join(", "),
    })
}

/// The table at a path of a `Cargo.toml`, if there is one.
pub(crate) fn metadata<'d>(
    context: &Context<'_>,
    document: &'d Document<&str>,
    path: &[&str],
) -> Result<Option<&'d dyn TableLike>, Error> {
    let mut item: &Item = document.as_item();
    for key in path {
        match item.get(key) {
            Some(next) => item = next,
            None => return Ok(None),
        }
    }
    item.as_table_like().map(Some).ok_or_else(|| Error::WrongType {
        at: context.location(item.span().map_or(0, |span| span.start)).into(),
        key: path.join("."),
        expected: "a table",
        found: described(item),
    })
}
