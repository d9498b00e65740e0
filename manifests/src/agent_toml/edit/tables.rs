//! Tables and their keys: where new ones stand, and whose comments go with those that are removed.

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// The table at a path.
pub(super) fn find<'d>(document: &'d DocumentMut, path: &[&str]) -> Option<&'d dyn TableLike> {
    let mut item = document.as_item();
    for key in path {
        item = item.get(key)?;
    }
    item.as_table_like()
}

/// The same, to be changed.
pub(super) fn find_mut<'d>(document: &'d mut DocumentMut, path: &[&str]) -> Option<&'d mut dyn TableLike> {
    let mut item = document.as_item_mut();
    for key in path {
        // Not by `Item::get_mut`, which makes what is missing.
        item = item.as_table_like_mut()?.get_mut(key)?;
    }
    item.as_table_like_mut()
}

/// The table at a path; what is missing of it is made, without headers of its own.
fn make<'d>(document: &'d mut DocumentMut, path: &[&str]) -> Option<&'d mut dyn TableLike> {
    let mut item = document.as_item_mut();
    for key in path {
        let inside_value = item.is_value();
        let table = item.as_table_like_mut()?;
        if !table.contains_key(key) {
            let made = if inside_value { Item::Value(InlineTable::new().into()) } else { Item::Table(implicit()) };
            table.insert(key, made);
        }
        item = table.get_mut(key)?;
    }
    item.as_table_like_mut()
}

fn implicit() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}

/// Adds a table with one key to an array of tables, which is made where it is missing.
pub(super) fn push(document: &mut DocumentMut, path: &[&str], name: &str, key: &str, value: &str) {
    let place = place_for(document, path, Some(name));
    let mut table = Table::new();
    table.insert(key, value.into());
    let is_inline = is_inline(document, path);
    if !is_inline {
        set_place(document, &mut table, place);
    }
    let Some(top) = make(document, path) else { return };
    if is_inline {
        let inline: Value = table.into_inline_table().into();
        top.insert(name, Item::Value(Value::Array([inline].into_iter().collect())));
    } else if let Some(tables) = top.get_mut(name).and_then(Item::as_array_of_tables_mut) {
        tables.push(table);
    } else {
        let mut tables = ArrayOfTables::new();
        tables.push(table);
        top.insert(name, Item::ArrayOfTables(tables));
    }
}

/// Sets a key of a table, which is made where it is missing.
pub(super) fn set(document: &mut DocumentMut, path: &[&str], name: &str, key: &str, value: Value) {
    let known = find(document, path).and_then(|top| top.get(name)).is_some();
    let place = place_for(document, path, None);
    let mut table = Table::new();
    let is_inline = is_inline(document, path);
    if !known && !is_inline {
        set_place(document, &mut table, place);
    }
    let Some(top) = make(document, path) else { return };
    if !known {
        let made = if is_inline { Item::Value(InlineTable::new().into()) } else { Item::Table(table) };
        top.insert(name, made);
    }
    let Some(item) = top.get_mut(name) else { return };
    if let Some(inline) = item.as_inline_table_mut() {
        // A blank before the brace stays there.
        let end = inline.iter_mut().last().map(|(_, last)| {
            let end = last.decor().suffix().and_then(|end| end.as_str()).unwrap_or_default().to_owned();
            last.decor_mut().set_suffix("");
            end
        });
        let mut value = value;
        value.decor_mut().set_prefix(" ");
        value.decor_mut().set_suffix(end.unwrap_or_else(|| " ".to_owned()));
        inline.insert(key, value);
    } else if let Some(table) = item.as_table_like_mut() {
        table.insert(key, Item::Value(value));
    }
}

/// Removes a table of an array of tables, with the comment directly above it.
pub(super) fn remove_nth(document: &mut DocumentMut, path: &[&str], name: &str, place: usize) {
    let Some(top) = find_mut(document, path) else { return };
    let Some(tables) = top.get_mut(name).and_then(Item::as_array_of_tables_mut) else { return };
    let removed = tables.remove(place);
    if tables.is_empty() {
        top.remove(name);
    }
    let end = last_position(&removed).unwrap_or_default();
    let prefix = removed.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
    keep_before_next(document, end, apart(prefix));
}

/// Removes a key of a table, with the comment directly above it.
pub(super) fn remove_key(document: &mut DocumentMut, path: &[&str], name: &str, key: &str) {
    let Some(table) = find_mut(document, path).and_then(|top| top.get_mut(name)) else { return };
    let is_value = table.is_value();
    let position = table.as_table().and_then(Table::position);
    let Some(table) = table.as_table_like_mut() else { return };
    let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    let above =
        |key: &toml_edit::Key| key.leaf_decor().prefix().and_then(|p| p.as_str()).unwrap_or_default().to_owned();
    let prefix = table.key(key).map(above).unwrap_or_default();
    let next = keys.iter().skip_while(|known| *known != key).nth(1);
    table.remove(key);
    let kept = apart(&prefix);
    if is_value || kept.is_empty() {
        return;
    }
    if let Some(mut next) = next.and_then(|next| table.key_mut(next)) {
        let own = next.leaf_decor().prefix().and_then(|p| p.as_str()).unwrap_or_default().to_owned();
        next.leaf_decor_mut().set_prefix(format!("{kept}{own}"));
    } else if let Some(position) = position {
        keep_before_next(document, position, kept);
    }
}

/// What stands above a table or key and apart from it: up to the last blank line.
pub(super) fn apart(prefix: &str) -> &str {
    let mut end = 0;
    let mut at = 0;
    for line in prefix.split_inclusive('\n') {
        at += line.len();
        if line.trim().is_empty() && line.ends_with('\n') {
            end = at;
        }
    }
    let kept = &prefix[..end];
    // Blank lines alone belong to nobody.
    if kept.trim().is_empty() { "" } else { kept }
}

fn is_inline(document: &DocumentMut, path: &[&str]) -> bool {
    let mut item = document.as_item();
    for key in path {
        match item.get(key) {
            Some(next) => item = next,
            None => break,
        }
    }
    item.is_value()
}

/// The position for a new table: after all of `name` and what is below it, else after all tables at `path`, else at the end.
fn place_for(document: &DocumentMut, path: &[&str], name: Option<&str>) -> isize {
    let end = last_position(document.as_table()).unwrap_or_default();
    let mut item = document.as_item();
    for key in path {
        match item.get(key) {
            Some(next) => item = next,
            None => return end + 1,
        }
    }
    if let Some(known) = name.and_then(|name| item.get(name)) {
        item = known;
    }
    let last = match item {
        Item::Table(table) => last_position(table),
        Item::ArrayOfTables(tables) => tables.iter().filter_map(last_position).max(),
        _ => None,
    };
    last.unwrap_or(end + 1)
}

/// Gives a new table its place with a blank line before it. What stands at the end of the text stays before a table that comes
/// last.
fn set_place(document: &mut DocumentMut, table: &mut Table, place: isize) {
    let end = last_position(document.as_table()).unwrap_or_default();
    let mut prefix = "\n".to_owned();
    if place >= end {
        let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
        document.set_trailing("");
        let gap = if trailing.is_empty() || trailing.ends_with('\n') { "" } else { "\n" };
        prefix = format!("{trailing}{gap}\n");
    }
    table.set_position(Some(place));
    table.decor_mut().set_prefix(prefix);
}

/// The highest position of a table and those below it.
fn last_position(table: &Table) -> Option<isize> {
    let mut last = table.position();
    each(table, &mut |table| last = last.max(table.position()));
    last
}

fn each(table: &Table, visit: &mut impl FnMut(&Table)) {
    for (_, item) in table {
        match item {
            Item::Table(table) => {
                visit(table);
                each(table, visit);
            }
            Item::ArrayOfTables(tables) => {
                for table in tables {
                    visit(table);
                    each(table, visit);
                }
            }
            _ => {}
        }
    }
}

fn each_mut(table: &mut Table, visit: &mut impl FnMut(&mut Table)) {
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(table) => {
                visit(table);
                each_mut(table, visit);
            }
            Item::ArrayOfTables(tables) => {
                for table in tables.iter_mut() {
                    visit(table);
                    each_mut(table, visit);
                }
            }
            _ => {}
        }
    }
}

/// Puts comments before the table that follows a position, or to the end of the text.
fn keep_before_next(document: &mut DocumentMut, position: isize, kept: &str) {
    if kept.is_empty() {
        return;
    }
    let mut next = None;
    each(document.as_table(), &mut |table| {
        if !table.is_implicit() && table.position().is_some_and(|at| at > position && next.is_none_or(|next| at < next))
        {
            next = table.position();
        }
    });
    if next.is_none() {
        let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
        document.set_trailing(format!("{kept}{trailing}"));
        return;
    }
    each_mut(document.as_table_mut(), &mut |table| {
        if table.position() == next {
            let own = table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned();
            // The blank line between them is there once.
            table.decor_mut().set_prefix(format!("{kept}{}", own.strip_prefix('\n').unwrap_or(&own)));
        }
    });
}
