//! From TOML tables to [`AgentToml`].

use toml_edit::{Item, TableLike};

use super::{
    Agent, AgentToml, Base, Bootstrap, CargoPackage, ConfigEntry, Coordinates, Discover, Extension, ExtensionSource,
    Files, Generate, Layout, Limits, LiteralPolicy, ManifestTable, MergeRule, MergeStrategy, Parent, Policy, Present,
    Relocation, Section, Source, VerifyGates, Versions,
};
use crate::Error;
use crate::arguments::{self, AgentArguments};
use crate::coordinates::FORM;
use crate::extension::check_id;
use crate::manifest::Attributes;
use crate::permission::Permission;
use crate::policy::{self, Takes};
use crate::toml::{Context, Environment, Table, document, metadata};

/// Every top-level key.
const TOP: &[&str] = &[
    "agent",
    "args",
    "bootstrap",
    "config",
    "discover",
    "exclude",
    "extension",
    "files",
    "flatten-versions",
    "generate",
    "limits",
    "manifest",
    "merge",
    "policy",
    "probes",
    "relocate",
    "relocate-literals",
    "section",
    "verify",
];

pub(super) fn parse(text: &str, origin: &str, environment: Environment<'_>) -> Result<AgentToml, Error> {
    let context = Context::new(text, origin, "agent.version", environment);
    let document = document(&context, text)?;
    read(&context, document.as_table(), "the top level", None)
}

pub(super) fn parse_cargo(
    text: &str,
    origin: &str,
    package: CargoPackage<'_>,
    environment: Environment<'_>,
) -> Result<Option<AgentToml>, Error> {
    let context = Context::new(text, origin, "agent.version", environment);
    let document = document(&context, text)?;
    let own = |key: &str| document.get("package").and_then(|package| package.get(key)).and_then(Item::as_str);
    let package = CargoPackage {
        name: package.name.or_else(|| own("name")),
        version: package.version.or_else(|| own("version")),
    };
    let Some(table) = metadata(&context, &document, &["package", "metadata", "fatagent"])? else { return Ok(None) };
    read(&context, table, "`[package.metadata.fatagent]`", Some(package)).map(Some)
}

fn read<'t>(
    context: &'t Context<'t>,
    table: &'t dyn TableLike,
    display: &str,
    package: Option<CargoPackage<'_>>,
) -> Result<AgentToml, Error> {
    let top = Table::root(context, table, display, TOP)?;
    let in_cargo = package.is_some();
    let agent = agent(context, &top, package)?;
    Ok(AgentToml {
        agent,
        extensions: extensions(&top)?,
        discover: discover(&top, in_cargo)?,
        probes: match top.table("probes", Some(&["include"]))? {
            Some(probes) => probes.strings("include")?.ok_or_else(|| probes.missing("include"))?,
            None => Vec::new(),
        },
        relocate: relocations(&top)?,
        relocate_literals: literals(&top)?,
        merge: merge(&top)?,
        manifest: manifest(&top)?,
        args: args(&top)?,
        config: config(&top)?,
        policy: policy(&top)?,
        limits: limits(&top)?,
        verify: verify(&top)?,
        files: files(&top)?,
        exclude: top.strings("exclude")?.unwrap_or_default(),
        flatten_versions: top.strings("flatten-versions")?.unwrap_or_default(),
        generate: generate(&top)?,
        bootstrap: bootstrap(&top)?,
        sections: sections(&top)?,
        present: present(context, &top),
    })
}

pub(super) fn is_output_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// The output name that resembles a text most: each run of other characters becomes one hyphen.
fn output_name(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_' | '-'));
    let name = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    (!name.is_empty()).then_some(name)
}

fn agent(context: &Context<'_>, top: &Table<'_>, package: Option<CargoPackage<'_>>) -> Result<Agent, Error> {
    let known = &["base", "layout", "name", "targets", "version"];
    let table = top.table("agent", Some(known))?;
    let package = match (&table, package) {
        (None, None) => return Err(top.missing("agent")),
        (_, package) => package.unwrap_or_default(),
    };
    let table = table.as_ref();
    let text = |key: &'static str, default: Option<&str>| match (table, default) {
        (Some(table), _) if table.has(key) => table.required(key),
        (_, Some(default)) => Ok(default.to_owned()),
        (Some(table), None) => Err(table.missing(key)),
        (None, None) => Err(top.missing("agent")),
    };
    let place = table.unwrap_or(top);
    let version = text("version", package.version)?;
    if version.contains(char::is_control) {
        return Err(place.bad(
            "version",
            &version.escape_debug().to_string(),
            "a text without control characters",
            &[],
        ));
    }
    context.set_version(&version);
    let name = text("name", package.name)?;
    if !is_output_name(&name) {
        let error = place.bad("name", &name, "made of letters, digits, `.`, `_` and `-`", &[]);
        return Err(error.suggesting(output_name(&name)));
    }
    let at = place.at.clone();
    let Some(table) = table else {
        return Ok(Agent { name, version, base: Base::Builtin, targets: None, layout: None, at });
    };
    let layout = match table.string("layout")?.as_deref() {
        None => None,
        Some("btrace3") => Some(Layout::Btrace3),
        Some("masked") => Some(Layout::Masked),
        Some("foreign") => Some(Layout::Foreign),
        Some("plain") => Some(Layout::Plain),
        Some(other) => {
            let expected = "`btrace3`, `masked`, `foreign` or `plain`";
            return Err(table.bad("layout", other, expected, &["btrace3", "masked", "foreign", "plain"]));
        }
    };
    Ok(Agent { name, version, base: base(table)?, targets: table.strings("targets")?, layout, at })
}

fn base(agent: &Table<'_>) -> Result<Base, Error> {
    if agent.is_string("base") {
        return match agent.required("base")?.as_str() {
            "builtin" => Ok(Base::Builtin),
            other => Err(agent.bad("base", other, "`builtin`, `{ file = … }` or `{ maven = … }`", &["builtin"])),
        };
    }
    let Some(table) = agent.table("base", Some(&["file", "maven"]))? else { return Ok(Base::Builtin) };
    match (table.has("file"), table.has("maven")) {
        (true, false) => Ok(Base::File(table.required("file")?)),
        (false, true) => Ok(Base::Maven(maven(&table)?)),
        (both, _) => Err(table.one_of("`file` and `maven`", if both { &["file", "maven"] } else { &[] })),
    }
}

fn maven(table: &Table<'_>) -> Result<Coordinates, Error> {
    let text = table.required("maven")?;
    text.parse().map_err(|_| table.bad("maven", &text, FORM, &[]))
}

fn extensions(top: &Table<'_>) -> Result<Vec<Extension>, Error> {
    let tables = top.tables("extension", &["file", "maven", "path", "relocate"])?;
    tables
        .iter()
        .map(|table| {
            let found: Vec<&str> = ["path", "file", "maven"].into_iter().filter(|key| table.has(key)).collect();
            let source = match found[..] {
                ["path"] => ExtensionSource::Path(table.required("path")?),
                ["file"] => ExtensionSource::File(table.required("file")?),
                ["maven"] => ExtensionSource::Maven(maven(table)?),
                _ => return Err(table.one_of("`path`, `file` and `maven`", &found)),
            };
            Ok(Extension { source, relocate: relocations(table)?, at: table.at.clone() })
        })
        .collect()
}

/// The members of a Cargo workspace are known without being named.
fn discover(top: &Table<'_>, in_cargo: bool) -> Result<Option<Discover>, Error> {
    let Some(table) = top.table("discover", Some(&["default", "members"]))? else { return Ok(None) };
    let members = match table.strings("members")? {
        None if in_cargo => Vec::new(),
        members => members.ok_or_else(|| table.missing("members"))?,
    };
    Ok(Some(Discover { members, default: table.strings("default")?.unwrap_or_default() }))
}

fn relocations(table: &Table<'_>) -> Result<Vec<Relocation>, Error> {
    Ok(table.map("relocate")?.into_iter().map(|(from, to)| Relocation { from, to }).collect())
}

fn literals(top: &Table<'_>) -> Result<LiteralPolicy, Error> {
    let Some(word) = top.string("relocate-literals")? else { return Ok(LiteralPolicy::default()) };
    LiteralPolicy::of(&word)
        .ok_or_else(|| top.bad("relocate-literals", &word, "`descriptors`, `names` or `off`", &LiteralPolicy::WORDS))
}

fn merge(top: &Table<'_>) -> Result<Vec<MergeRule>, Error> {
    let Some(table) = top.table("merge", None)? else { return Ok(Vec::new()) };
    top.map("merge")?
        .into_iter()
        .map(|(pattern, strategy)| {
            let strategy = match strategy.as_str() {
                "first" => MergeStrategy::First,
                "last" => MergeStrategy::Last,
                "concatenate" => MergeStrategy::Concatenate,
                "append" => MergeStrategy::Append,
                "error" => MergeStrategy::Error,
                other => {
                    let accepted = &["first", "last", "concatenate", "append", "error"];
                    let expected = "`first`, `last`, `concatenate`, `append` or `error`";
                    return Err(table.bad(&pattern, other, expected, accepted));
                }
            };
            Ok(MergeRule { pattern, strategy })
        })
        .collect()
}

fn manifest(top: &Table<'_>) -> Result<ManifestTable, Error> {
    let known = &["attributes", "boot-libs", "libs-profile", "libs-root", "system-libs"];
    let Some(table) = top.table("manifest", Some(known))? else { return Ok(ManifestTable::default()) };
    let mut attributes = Vec::new();
    if let Some(nested) = table.table("attributes", None)? {
        attributes = nested.texts(false)?;
        let mut carried = Attributes::default();
        for (name, value) in &attributes {
            if carried.get(name).is_some() {
                return Err(nested.bad(name, name, "given once, in whatever case", &[]));
            }
            carried.set(name, value).map_err(|error| match error {
                Error::ManifestValue { .. } => nested.bad(name, &value.escape_debug().to_string(), "one line", &[]),
                _ => nested.bad(name, name, "named by 1 to 70 letters, digits, `-` or `_`", &[]),
            })?;
        }
    }
    Ok(ManifestTable {
        boot_libs: table.strings("boot-libs")?.unwrap_or_default(),
        system_libs: table.strings("system-libs")?.unwrap_or_default(),
        libs_root: table.string("libs-root")?,
        libs_profile: table.string("libs-profile")?,
        attributes,
    })
}

fn args(top: &Table<'_>) -> Result<Vec<(String, String)>, Error> {
    let Some(table) = top.table("args", None)? else { return Ok(Vec::new()) };
    let args = table.texts(false)?;
    for (key, value) in &args {
        let set = AgentArguments::default().set(key, Some(value));
        set.map_err(|_| table.bad(key, key, "named without `=`, `,` and outer blanks", &[]))?;
    }
    Ok(args)
}

fn config(top: &Table<'_>) -> Result<Vec<ConfigEntry>, Error> {
    let Some(table) = top.table("config", None)? else { return Ok(Vec::new()) };
    let entries = table.texts_at(true)?;
    Ok(entries.into_iter().map(|(key, value, at)| ConfigEntry { key, value, at }).collect())
}

fn policy(top: &Table<'_>) -> Result<Option<Policy>, Error> {
    let Some(table) = top.table("policy", Some(policy::KEYS))? else { return Ok(None) };
    for key in policy::KEYS.iter().filter(|key| table.has(key)) {
        match policy::takes(key) {
            Some(Takes::Permissions) => {
                let names: Vec<&'static str> = Permission::ALL.iter().map(|permission| permission.name()).collect();
                for item in items(&table, key)? {
                    item.parse::<Permission>().map_err(|_| table.bad(key, &item, policy::PERMISSIONS, &names))?;
                }
            }
            Some(Takes::Extensions) => {
                for item in items(&table, key)? {
                    check_id(&item).map_err(|_| table.bad(key, &item, policy::EXTENSIONS, &[]))?;
                }
            }
            Some(Takes::Flag) | None => {
                table.boolean(key)?;
            }
        }
    }
    let sealed = table.boolean("sealed")?.unwrap_or(false);
    let mut entries = table.texts(true)?;
    entries.retain(|(key, _)| key != "sealed");
    Ok(Some(Policy { sealed, entries }))
}

fn limits(top: &Table<'_>) -> Result<Limits, Error> {
    let Some(table) = top.table("limits", Some(arguments::LIMITS))? else { return Ok(Limits::default()) };
    let limit = |key: &str| match table.count(key) {
        Ok(Some(0)) => Err(table.bad(key, "0", arguments::LIMIT, &[])),
        Err(Error::Value { value, .. }) => Err(table.bad(key, &value, arguments::LIMIT, &[])),
        other => other,
    };
    Ok(Limits { max_methods: limit("maxMethods")?, max_events_per_second: limit("maxEventsPerSecond")? })
}

/// The items of a list, which is an array or a text with commas.
fn items(table: &Table<'_>, key: &str) -> Result<Vec<String>, Error> {
    let list = if table.is_string(key) { table.string(key)?.map(|text| vec![text]) } else { table.strings(key)? };
    let texts = list.unwrap_or_default();
    let items = texts.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|item| !item.is_empty());
    Ok(items.map(str::to_owned).collect())
}

fn verify(top: &Table<'_>) -> Result<VerifyGates, Error> {
    let known = &["allow-both", "forbid", "golden", "max-size", "min-classes", "require"];
    let Some(table) = top.table("verify", Some(known))? else { return Ok(VerifyGates::default()) };
    Ok(VerifyGates {
        max_size: table.count_or("max-size", "a number of bytes, or one such as `5 MB` or `500 KiB`", size)?,
        min_classes: table.count("min-classes")?,
        require: table.strings("require")?.unwrap_or_default(),
        forbid: table.strings("forbid")?.unwrap_or_default(),
        allow_both: table.strings("allow-both")?.unwrap_or_default(),
        golden: table.string("golden")?,
    })
}

/// Bytes of a size such as `5 MB` (decimal), `500 KiB` (binary) or `100 B`.
fn size(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim_start() {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

fn files(top: &Table<'_>) -> Result<Vec<Files>, Error> {
    let tables = top.tables("files", &["from", "into"])?;
    let files = |table: &Table<'_>| {
        Ok(Files { from: sources(table, "from")?, into: table.required("into")?, at: table.at.clone() })
    };
    tables.iter().map(files).collect()
}

fn sources(table: &Table<'_>, key: &'static str) -> Result<Vec<Source>, Error> {
    table
        .required_strings(key)?
        .into_iter()
        .map(|text| match text.strip_prefix("maven:") {
            None => Ok(Source::Path(text)),
            Some(maven) => {
                let coordinates = maven.parse().map_err(|_| table.bad(key, maven, FORM, &[]))?;
                Ok(Source::Maven(coordinates))
            }
        })
        .collect()
}

fn generate(top: &Table<'_>) -> Result<Vec<Generate>, Error> {
    let tables = top.tables("generate", &["outputs", "run"])?;
    tables
        .iter()
        .map(|table| {
            let (run, outputs) = (table.required_strings("run")?, table.required_strings("outputs")?);
            Ok(Generate { run, outputs, at: table.at.clone() })
        })
        .collect()
}

fn bootstrap(top: &Table<'_>) -> Result<Option<Bootstrap>, Error> {
    let Some(table) = top.table("bootstrap", Some(&["exclude", "from", "include"]))? else { return Ok(None) };
    // Without jars of its own it may still select from those of the sections.
    let from = if table.has("include") && !table.has("from") { Vec::new() } else { sources(&table, "from")? };
    let include = if table.has("include") { table.required_strings("include")? } else { Vec::new() };
    Ok(Some(Bootstrap { from, include, exclude: table.strings("exclude")?.unwrap_or_default() }))
}

fn sections(top: &Table<'_>) -> Result<Vec<Section>, Error> {
    let tables = top.tables("section", &["exclude", "from", "parent", "path", "relocate", "suffix", "versions"])?;
    tables
        .iter()
        .map(|table| {
            let versions = match table.string("versions")?.as_deref() {
                None | Some("inside") => Versions::Inside,
                Some("root") => Versions::Root,
                Some(other) => return Err(table.bad("versions", other, "`inside` or `root`", &["inside", "root"])),
            };
            let parent = match table.string("parent")?.as_deref() {
                None => None,
                Some("bootstrap") => Some(Parent::Bootstrap),
                Some("platform") => Some(Parent::Platform),
                Some("system") => Some(Parent::System),
                Some(other) => {
                    let expected = "`bootstrap`, `platform` or `system`";
                    return Err(table.bad("parent", other, expected, &["bootstrap", "platform", "system"]));
                }
            };
            Ok(Section {
                path: table.required("path")?,
                suffix: table.string("suffix")?.unwrap_or_else(|| ".classdata".to_owned()),
                versions,
                from: sources(table, "from")?,
                exclude: table.strings("exclude")?.unwrap_or_default(),
                relocate: relocations(table)?,
                parent,
                at: table.at.clone(),
            })
        })
        .collect()
}

/// Lists what the text has, by position.
fn present(context: &Context<'_>, top: &Table<'_>) -> Vec<Present> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for (offset, key, item) in top.keys() {
        found.push((offset, key.to_owned()));
        let tables: Vec<&dyn TableLike> = match item {
            Item::ArrayOfTables(array) => array.iter().map(|table| table as &dyn TableLike).collect(),
            Item::Value(toml_edit::Value::Array(array)) => {
                array.iter().filter_map(|value| Some(value.as_inline_table()? as &dyn TableLike)).collect()
            }
            other => other.as_table_like().into_iter().collect(),
        };
        for table in tables {
            for (nested, item) in table.iter() {
                let span = table.key(nested).and_then(toml_edit::Key::span).or_else(|| item.span());
                found.push((span.map_or(offset, |span| span.start), format!("{key}.{nested}")));
            }
        }
    }
    // Stable, and a table before its keys where an inline table gives both the same offset.
    found.sort_by_key(|(offset, _)| *offset);
    let mut present: Vec<Present> = Vec::new();
    for (offset, key) in found {
        if present.iter().all(|known| known.key != key) {
            present.push(Present { key, at: context.location(offset) });
        }
    }
    present
}
