//! Typed access to TOML tables with positions in every error.

use std::cell::OnceCell;

use toml_edit::{Array, Item, TableLike, Value};

use super::Environment;
use super::expand::expand;
use crate::{Error, Location, suggest};

/// What all tables of one text share.
pub(crate) struct Context<'a> {
    text: &'a str,
    origin: &'a str,
    /// Looks up `${env:NAME}`.
    pub(crate) environment: Environment<'a>,
    /// What `${…}` calls the version: `agent.version` or `extension.version`.
    version_name: &'static str,
    version: OnceCell<String>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        text: &'a str,
        origin: &'a str,
        version_name: &'static str,
        environment: Environment<'a>,
    ) -> Self {
        Self { text, origin, environment, version_name, version: OnceCell::new() }
    }

    /// What strings call the version.
    pub(super) fn version_name(&self) -> &'static str {
        self.version_name
    }

    /// The version, once it is known.
    pub(crate) fn version(&self) -> Option<&str> {
        self.version.get().map(String::as_str)
    }

    /// Makes the version known to the strings read from now on.
    pub(crate) fn set_version(&self, version: &str) {
        self.version.get_or_init(|| version.to_owned());
    }

    /// The location of a byte offset.
    pub(crate) fn location(&self, offset: usize) -> Location {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let from_one = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1);
        Location {
            origin: self.origin.to_owned(),
            line: from_one(before.matches('\n').count()),
            column: from_one(before[line_start..].chars().count()),
        }
    }
}

/// One table with the keys it may have.
pub(crate) struct Table<'t> {
    context: &'t Context<'t>,
    values: &'t dyn TableLike,
    /// For messages: `` `[agent]` ``.
    display: String,
    /// Dotted name with a dot at its end, or nothing for the top level.
    prefix: String,
    /// Where the table begins.
    pub(crate) at: Location,
}

impl<'t> Table<'t> {
    /// The table of all tables; `known` are its keys.
    pub(crate) fn root(
        context: &'t Context<'t>,
        table: &'t dyn TableLike,
        display: &str,
        known: &'static [&'static str],
    ) -> Result<Self, Error> {
        let at = context.location(0);
        let root = Self { context, values: table, display: display.to_owned(), prefix: String::new(), at };
        root.refuse_unknown(known)?;
        Ok(root)
    }

    fn nested(&self, display: String, key: &str, item: &'t dyn TableLike, at: Location) -> Self {
        let prefix = format!("{}{key}.", self.prefix);
        Self { context: self.context, values: item, display, prefix, at }
    }

    fn refuse_unknown(&self, known: &'static [&'static str]) -> Result<(), Error> {
        match self.values.iter().map(|(key, _)| key).find(|key| !known.contains(key)) {
            None => Ok(()),
            Some(key) => Err(Error::UnknownKey {
                at: self.key_location(key).into(),
                table: self.display.clone(),
                key: key.to_owned(),
                nearest: suggest::nearest(key, known.iter().copied()).map(str::to_owned),
                known,
            }),
        }
    }

    /// Keys in the order of their table, each with its offset, name and item.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (usize, &'t str, &'t Item)> {
        let table = self.values;
        table.iter().map(move |(key, item)| (key_offset(table, key).unwrap_or(usize::MAX), key, item))
    }

    pub(crate) fn key_location(&self, key: &str) -> Location {
        key_offset(self.values, key).map_or_else(|| self.at.clone(), |offset| self.context.location(offset))
    }

    fn value_location(&self, key: &str, item: &Item) -> Location {
        item.span().map_or_else(|| self.key_location(key), |span| self.context.location(span.start))
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    pub(crate) fn is_string(&self, key: &str) -> bool {
        self.values.get(key).is_some_and(Item::is_str)
    }

    pub(crate) fn missing(&self, key: &'static str) -> Error {
        Error::MissingKey { at: self.at.clone().into(), table: self.display.clone(), key }
    }

    /// The error for a table that has not exactly one of its alternatives.
    pub(crate) fn one_of(&self, keys: &'static str, found: &[&str]) -> Error {
        let found = match found {
            [] => "none".to_owned(),
            found => found.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" and "),
        };
        Error::OneOf { at: self.at.clone().into(), table: self.display.clone(), keys, found }
    }

    fn wrong_type(&self, key: &str, item: &Item, expected: &'static str) -> Error {
        Error::WrongType {
            at: self.value_location(key, item).into(),
            key: format!("{}{key}", self.prefix),
            expected,
            found: described(item),
        }
    }

    /// The error for a value that the key does not take.
    pub(crate) fn bad(&self, key: &str, value: &str, expected: &'static str, accepted: &[&'static str]) -> Error {
        let at = self.values.get(key).map_or_else(|| self.at.clone(), |item| self.value_location(key, item));
        let nearest = suggest::nearest(value, accepted.iter().copied()).map(str::to_owned);
        Error::Value { at: at.into(), key: format!("{}{key}", self.prefix), expected, value: value.to_owned(), nearest }
    }

    pub(crate) fn string(&self, key: &str) -> Result<Option<String>, Error> {
        let Some(item) = self.values.get(key) else { return Ok(None) };
        let text = item.as_str().ok_or_else(|| self.wrong_type(key, item, "a string"))?;
        expand(self.context, text, &self.value_location(key, item)).map(Some)
    }

    /// A string, number or boolean as text.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, Error> {
        let Some(item) = self.values.get(key) else { return Ok(None) };
        match item.as_value() {
            Some(Value::Integer(number)) => Ok(Some(number.value().to_string())),
            Some(Value::Boolean(boolean)) => Ok(Some(boolean.value().to_string())),
            _ => self.string(key),
        }
    }

    /// A string that must be there and not be empty.
    pub(crate) fn required(&self, key: &'static str) -> Result<String, Error> {
        let text = self.string(key)?.ok_or_else(|| self.missing(key))?;
        if text.is_empty() { Err(self.bad(key, &text, "a text that is not empty", &[])) } else { Ok(text) }
    }

    pub(crate) fn strings(&self, key: &str) -> Result<Option<Vec<String>>, Error> {
        let Some(item) = self.values.get(key) else { return Ok(None) };
        let expected = "an array of strings";
        let array = item.as_array().ok_or_else(|| self.wrong_type(key, item, expected))?;
        self.array_of_strings(key, array, expected).map(Some)
    }

    /// An array of strings that must be there and not be empty.
    pub(crate) fn required_strings(&self, key: &'static str) -> Result<Vec<String>, Error> {
        let strings = self.strings(key)?.ok_or_else(|| self.missing(key))?;
        if strings.is_empty() { Err(self.bad(key, "[]", "an array that is not empty", &[])) } else { Ok(strings) }
    }

    fn array_of_strings(&self, key: &str, array: &Array, expected: &'static str) -> Result<Vec<String>, Error> {
        array
            .iter()
            .map(|value| {
                let at = value.span().map_or_else(|| self.key_location(key), |span| self.context.location(span.start));
                match value {
                    Value::String(text) => expand(self.context, text.value(), &at),
                    other => Err(Error::WrongType {
                        at: at.into(),
                        key: format!("{}{key}", self.prefix),
                        expected,
                        found: format!("{} in it", described_value(other)),
                    }),
                }
            })
            .collect()
    }

    pub(crate) fn boolean(&self, key: &str) -> Result<Option<bool>, Error> {
        let Some(item) = self.values.get(key) else { return Ok(None) };
        item.as_bool().map(Some).ok_or_else(|| self.wrong_type(key, item, "a boolean"))
    }

    pub(crate) fn count(&self, key: &str) -> Result<Option<u64>, Error> {
        let Some(item) = self.values.get(key) else { return Ok(None) };
        let number = item.as_integer().ok_or_else(|| self.wrong_type(key, item, "an integer"))?;
        u64::try_from(number).map(Some).map_err(|_| self.bad(key, &number.to_string(), "zero or more", &[]))
    }

    /// A string, read by `parse`, or an integer.
    pub(crate) fn count_or(
        &self,
        key: &str,
        expected: &'static str,
        parse: fn(&str) -> Option<u64>,
    ) -> Result<Option<u64>, Error> {
        if self.values.get(key).is_some_and(|item| item.as_integer().is_some()) {
            return self.count(key);
        }
        let Some(item) = self.values.get(key) else { return Ok(None) };
        if !item.is_str() {
            return Err(self.wrong_type(key, item, expected));
        }
        let text = self.string(key)?.unwrap_or_default();
        parse(&text).map(Some).ok_or_else(|| self.bad(key, &text, expected, &[]))
    }

    /// A nested table with its known keys, or `None` for any keys.
    pub(crate) fn table(&self, key: &str, known: Option<&'static [&'static str]>) -> Result<Option<Self>, Error> {
        let Some(item) = self.values.get(key) else { return Ok(None) };
        let nested = item.as_table_like().ok_or_else(|| self.wrong_type(key, item, "a table"))?;
        let display = format!("`[{}{key}]`", self.prefix);
        let table = self.nested(display, key, nested, self.value_location(key, item));
        known.map_or(Ok(()), |known| table.refuse_unknown(known))?;
        Ok(Some(table))
    }

    /// A `[[…]]` or an array of inline tables.
    pub(crate) fn tables(&self, key: &str, known: &'static [&'static str]) -> Result<Vec<Self>, Error> {
        let Some(item) = self.values.get(key) else { return Ok(Vec::new()) };
        let wrong = || self.wrong_type(key, item, "an array of tables");
        let display = format!("`[[{}{key}]]`", self.prefix);
        let at = |span: Option<std::ops::Range<usize>>| {
            span.map_or_else(|| self.key_location(key), |span| self.context.location(span.start))
        };
        let tables: Vec<Self> = match item {
            Item::ArrayOfTables(array) => {
                array.iter().map(|table| self.nested(display.clone(), key, table, at(table.span()))).collect()
            }
            Item::Value(Value::Array(array)) => array
                .iter()
                .map(|value| match value {
                    Value::InlineTable(table) => Ok(self.nested(display.clone(), key, table, at(table.span()))),
                    _ => Err(wrong()),
                })
                .collect::<Result<_, _>>()?,
            _ => return Err(wrong()),
        };
        tables.iter().try_for_each(|table| table.refuse_unknown(known))?;
        Ok(tables)
    }

    /// A nested table whose values are strings, in the order written.
    pub(crate) fn map(&self, key: &str) -> Result<Vec<(String, String)>, Error> {
        let Some(table) = self.table(key, None)? else { return Ok(Vec::new()) };
        table
            .in_order()
            .into_iter()
            .map(|name| Ok((name.to_owned(), table.string(name)?.unwrap_or_default())))
            .collect()
    }

    /// Every key and value as text, in the order written. With `deep`, nested tables are joined by dots and arrays by
    /// commas.
    pub(crate) fn texts(&self, deep: bool) -> Result<Vec<(String, String)>, Error> {
        Ok(self.texts_at(deep)?.into_iter().map(|(key, value, _)| (key, value)).collect())
    }

    /// As [`Table::texts`], each with the place of its value.
    pub(crate) fn texts_at(&self, deep: bool) -> Result<Vec<(String, String, Location)>, Error> {
        let mut texts = Vec::new();
        self.collect_texts("", deep, &mut texts)?;
        for (at, (key, ..)) in texts.iter().enumerate() {
            if texts[..at].iter().any(|(earlier, ..)| earlier == key) {
                return Err(self.bad(key, key, "given once, with or without quotes", &[]));
            }
        }
        Ok(texts)
    }

    fn collect_texts(&self, above: &str, deep: bool, texts: &mut Vec<(String, String, Location)>) -> Result<(), Error> {
        for key in self.in_order() {
            let Some(item) = self.values.get(key) else { continue };
            let name = format!("{above}{key}");
            let at = self.value_location(key, item);
            match item {
                Item::Value(Value::Array(array)) if deep => {
                    texts.push((name, self.array_of_strings(key, array, "an array of strings")?.join(","), at));
                }
                Item::Value(value) if !value.is_inline_table() => {
                    let expected =
                        if deep { "a string, number, boolean or array" } else { "a string, number or boolean" };
                    let text = match value {
                        Value::String(_) => self.string(key)?.unwrap_or_default(),
                        Value::Integer(number) => number.value().to_string(),
                        Value::Float(number) => format!("{:?}", number.value()),
                        Value::Boolean(boolean) => boolean.value().to_string(),
                        _ => return Err(self.wrong_type(key, item, expected)),
                    };
                    texts.push((name, text, at));
                }
                _ if deep && item.is_table_like() => {
                    let Some(nested) = self.table(key, None)? else { continue };
                    nested.collect_texts(&format!("{name}."), deep, texts)?;
                }
                _ => return Err(self.wrong_type(key, item, "a string, number or boolean")),
            }
        }
        Ok(())
    }

    /// Keys by position: dotted keys of one table may be scattered.
    fn in_order(&self) -> Vec<&'t str> {
        let mut keys: Vec<(usize, &str)> = self.keys().map(|(offset, key, _)| (offset, key)).collect();
        keys.sort_by_key(|(offset, _)| *offset);
        keys.into_iter().map(|(_, key)| key).collect()
    }
}

fn key_offset(table: &dyn TableLike, key: &str) -> Option<usize> {
    let (key, item) = table.get_key_value(key)?;
    key.span().or_else(|| item.span()).map(|span| span.start)
}

/// The type of an item, with its article.
pub(crate) fn described(item: &Item) -> String {
    match item {
        Item::None => "nothing".to_owned(),
        Item::Value(value) => described_value(value),
        Item::Table(_) => "a table".to_owned(),
        Item::ArrayOfTables(_) => "an array of tables".to_owned(),
    }
}

fn described_value(value: &Value) -> String {
    match value {
        Value::String(_) => "a string",
        Value::Integer(_) => "an integer",
        Value::Float(_) => "a float",
        Value::Boolean(_) => "a boolean",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "an array",
        Value::InlineTable(_) => "a table",
    }
    .to_owned()
}
