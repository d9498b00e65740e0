//! From TOML tables to [`ExtensionToml`].

use super::{Dependency, ExtensionToml, Setting, SettingType};
use crate::Error;
use crate::coordinates::FORM;
use crate::extension::{check_written_id, lowercase_id};
use crate::permission::Permission;
use crate::toml::{Context, Environment, Table, document, metadata};
use toml_edit::TableLike;

/// Every key of the top level.
const TOP: &[&str] = &[
    "api-packages",
    "api-version",
    "classes",
    "configurator",
    "dependencies",
    "description",
    "excluded-exports",
    "exports",
    "group",
    "id",
    "java-version",
    "name",
    "native",
    "permissions",
    "probes",
    "provided",
    "requires",
    "scan-permissions",
    "services",
    "setting",
    "shade",
    "sources",
    "version",
];

const CARGO: [&str; 4] = ["package", "metadata", "fatagent", "extension"];

pub(super) fn parse(text: &str, origin: &str, environment: Environment<'_>) -> Result<ExtensionToml, Error> {
    let context = Context::new(text, origin, "extension.version", environment);
    let document = document(&context, text)?;
    read(&context, document.as_table(), "the top level", None)
}

pub(super) fn parse_cargo(
    text: &str,
    origin: &str,
    version: Option<&str>,
    environment: Environment<'_>,
) -> Result<Option<ExtensionToml>, Error> {
    let context = Context::new(text, origin, "extension.version", environment);
    let document = document(&context, text)?;
    // An array there lists the extensions that an agent embeds.
    if metadata(&context, &document, &CARGO[..3])?
        .is_none_or(|table| table.get(CARGO[3]).is_none_or(|item| !item.is_table_like()))
    {
        return Ok(None);
    }
    let Some(table) = metadata(&context, &document, &CARGO)? else { return Ok(None) };
    let written = document.get("package").and_then(|package| package.get("version")).and_then(toml_edit::Item::as_str);
    read(&context, table, "`[package.metadata.fatagent.extension]`", version.or(written)).map(Some)
}

fn read<'t>(
    context: &'t Context<'t>,
    table: &'t dyn TableLike,
    display: &str,
    version: Option<&str>,
) -> Result<ExtensionToml, Error> {
    let top = Table::root(context, table, display, TOP)?;
    let version = match version {
        Some(version) if !top.has("version") => version.to_owned(),
        _ => top.required("version")?,
    };
    if !super::is_version(&version) {
        return Err(top.bad("version", &version, "a semantic version such as `1.2.0`", &[]));
    }
    context.set_version(&version);
    let id = top.required("id")?;
    if check_written_id(&id).is_err() {
        let expected = "lowercase words and numbers joined by hyphens";
        return Err(top.bad("id", &id, expected, &[]).suggesting(lowercase_id(&id)));
    }
    let extension = ExtensionToml {
        id,
        version,
        name: top.string("name")?,
        description: top.string("description")?,
        services: class_names(&top, "services")?,
        exports: class_names(&top, "exports")?,
        excluded_exports: class_names(&top, "excluded-exports")?,
        api_packages: class_names(&top, "api-packages")?,
        requires: top.strings("requires")?.unwrap_or_default(),
        provided: class_names(&top, "provided")?,
        dependencies: dependencies(&top)?,
        shade: top.map("shade")?,
        probes: top.strings("probes")?.unwrap_or_default(),
        configurator: top.string("configurator")?.map(|name| class_name(&top, "configurator", name)).transpose()?,
        api_version: minimum(&top, "api-version", "a least version such as `3.0+`")?,
        java_version: minimum(&top, "java-version", "a least version such as `8+`")?,
        settings: settings(&top)?,
        permissions: permissions(&top)?,
        scan_permissions: top.boolean("scan-permissions")?.unwrap_or(true),
        classes: top.strings("classes")?.unwrap_or_default(),
        sources: top.strings("sources")?.unwrap_or_default(),
        native: top.strings("native")?.unwrap_or_default(),
        group: top.string("group")?,
    };
    if extension.requires.contains(&extension.id) {
        return Err(top.bad("requires", &extension.id, "ids of other extensions", &[]));
    }
    for id in &extension.requires {
        crate::extension::check_id(id).map_err(|_| top.bad("requires", id, "ids of extensions", &[]))?;
    }
    Ok(extension)
}

/// A dotted name of a class or package.
fn class_name(table: &Table<'_>, key: &str, name: String) -> Result<String, Error> {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    if name.split('.').all(part) { Ok(name) } else { Err(table.bad(key, &name, "a dotted Java name", &[])) }
}

fn class_names(table: &Table<'_>, key: &'static str) -> Result<Vec<String>, Error> {
    let names = table.strings(key)?.unwrap_or_default();
    names.into_iter().map(|name| class_name(table, key, name)).collect()
}

/// A version with a plus sign at its end, or without.
fn minimum(table: &Table<'_>, key: &'static str, expected: &'static str) -> Result<Option<String>, Error> {
    let Some(text) = table.string(key)? else { return Ok(None) };
    let number = text.strip_suffix('+').unwrap_or(&text);
    let valid = number.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    if valid { Ok(Some(text)) } else { Err(table.bad(key, &text, expected, &[])) }
}

fn dependencies(top: &Table<'_>) -> Result<Vec<Dependency>, Error> {
    let texts = top.strings("dependencies")?.unwrap_or_default();
    let dependency = |text: String| match text.strip_prefix("maven:") {
        None => Ok(Dependency::Path(text)),
        Some(coordinates) => {
            coordinates.parse().map(Dependency::Maven).map_err(|_| top.bad("dependencies", coordinates, FORM, &[]))
        }
    };
    texts.into_iter().map(dependency).collect()
}

fn settings(top: &Table<'_>) -> Result<Vec<Setting>, Error> {
    let mut settings: Vec<Setting> = Vec::new();
    for table in top.tables("setting", &["default", "help", "name", "type"])? {
        let name = table.required("name")?;
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')) {
            return Err(table.bad("name", &name, "made of letters, digits, `.`, `_` and `-`", &[]));
        }
        if settings.iter().any(|known| known.name == name) {
            return Err(table.bad("name", &name, "named once", &[]));
        }
        let kind = match table.string("type")? {
            None => SettingType::default(),
            Some(word) => SettingType::of(&word).ok_or_else(|| {
                let expected = "`string`, `boolean`, `integer`, `duration` or `list`";
                table.bad("type", &word, expected, &SettingType::WORDS)
            })?,
        };
        let default = table.text("default")?;
        if let Some(default) = &default
            && !kind.accepts(default)
        {
            return Err(table.bad("default", default, "a value of the setting's type", &[]));
        }
        settings.push(Setting { name, kind, default, help: table.string("help")? });
    }
    Ok(settings)
}

fn permissions(top: &Table<'_>) -> Result<Vec<(Permission, String)>, Error> {
    let Some(table) = top.table("permissions", None)? else { return Ok(Vec::new()) };
    let mut accepted: Vec<(Permission, String)> = Vec::new();
    for (name, reason) in top.map("permissions")? {
        let names: Vec<&'static str> = Permission::ALL.iter().map(|permission| permission.name()).collect();
        let permission = name.parse().map_err(|_| table.bad(&name, &name, "a permission", &names))?;
        if accepted.iter().any(|(known, _)| *known == permission) {
            return Err(table.bad(&name, &name, "given once, in whatever case", &[]));
        }
        if reason.trim().is_empty() {
            return Err(table.bad(&name, &reason, "the reason why it is needed", &[]));
        }
        accepted.push((permission, reason));
    }
    Ok(accepted)
}
