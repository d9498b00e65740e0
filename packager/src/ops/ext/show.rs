//! The two forms of what is known of extensions.

use extensions::{Extension, Files, Resolved, Status};
use manifests::arguments::AgentArguments;
use manifests::permission::{Class, Permission};
use manifests::policy::{Decision, Reason};
use serde_json::{Map, Value, json};

use crate::printer::Printer;

pub(super) fn list(resolved: &Resolved, printer: &Printer) {
    let rows: Vec<[String; 4]> = resolved
        .extensions
        .iter()
        .map(|extension| {
            let id = extension.metadata.id.clone();
            [id, extension.metadata.version.clone(), extension.place.to_string(), state(extension).to_owned()]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    for (row, extension) in rows.iter().zip(&resolved.extensions) {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect::<Vec<_>>();
        printer.text(&format!("{}  {}", cells.join("  "), extension.files.path().display()));
    }
    let mut fields = Map::new();
    fields.insert("extensions".into(), resolved.extensions.iter().map(|one| Value::Object(to_json(one))).collect());
    fields.insert("reports".into(), json!(resolved.reports));
    printer.json("extensions", fields);
}

pub(super) fn inspect(extensions: &[Extension], printer: &Printer) {
    for extension in extensions {
        for line in lines(extension) {
            printer.text(&line);
        }
        printer.json("extension", to_json(extension));
    }
}

pub(super) fn explain(resolved: &Resolved, arguments: &AgentArguments, printer: &Printer) {
    let policy = resolved.policy.describe(arguments);
    printer.text(&line("policy", &policy));
    let mut explained = Vec::new();
    for extension in &resolved.extensions {
        let metadata = &extension.metadata;
        let decision = match &extension.decision {
            Ok(Decision::Granted) => "granted".to_owned(),
            Ok(Decision::Denied { reasons }) => {
                format!("denied: {}", reasons.iter().map(Reason::to_string).collect::<Vec<_>>().join("; "))
            }
            Err(why) => format!("denied: {why}"),
        };
        let found = format!("{} {}, {}", metadata.id, metadata.version, extension.place);
        printer.text(&line("extension", &format!("{found}: {decision}")));
        let mut rules = Vec::new();
        for permission in metadata.permissions.iter().flatten().copied() {
            let because = resolved.policy.policy.as_ref().map(|policy| policy.because(&metadata.id, permission));
            let (granted, words) = because.unwrap_or((false, "the policy cannot be read"));
            let verdict = if granted { "granted" } else { "denied" };
            printer.text(&line("", &format!("{permission}, {}: {verdict}, {words}", class(permission))));
            rules.push(json!({
                "permission": permission.name(), "class": class(permission), "granted": granted, "because": words,
            }));
        }
        match metadata.permissions.as_deref() {
            None => printer.text(&line("", "permissions not declared")),
            Some([]) => printer.text(&line("", "no permissions")),
            Some(_) => {}
        }
        // Whoever is denied learns what to do; what else keeps it from being used is not the policy's.
        if let Some(hint) = extension.remedy() {
            printer.text(&line("", &format!("hint: {hint}")));
        }
        let mut fields = to_json(extension);
        fields.insert("rules".into(), rules.into());
        explained.push(Value::Object(fields));
    }
    let mut fields = Map::new();
    fields.insert("policy".into(), policy.into());
    fields.insert("file".into(), resolved.policy.file.as_ref().map(|file| file.display().to_string()).into());
    fields.insert("sealed".into(), resolved.policy.sealed.into());
    fields.insert("extensions".into(), explained.into());
    fields.insert("reports".into(), json!(resolved.reports));
    printer.json("policy", fields);
}

fn class(permission: Permission) -> &'static str {
    match permission.class() {
        Class::Default => "default",
        Class::Standard => "standard",
        Class::Privileged => "privileged",
    }
}

fn state(extension: &Extension) -> &'static str {
    match extension.status {
        Status::Usable => "usable",
        Status::Disabled { .. } => "disabled",
        Status::Denied { .. } => "denied",
        Status::Unusable { .. } => "unusable",
        Status::Damaged { .. } => "damaged",
    }
}

fn lines(extension: &Extension) -> Vec<String> {
    let metadata = &extension.metadata;
    let mut lines = vec![line("extension", &format!("{} {}", metadata.id, metadata.version))];
    let mut add = |what: &str, text: &str| lines.push(line(what, text));
    for (what, text) in [("name", &metadata.name), ("about", &metadata.description)] {
        if let Some(text) = text {
            add(what, text);
        }
    }
    add("place", extension.place.word());
    for (what, file) in files(&extension.files) {
        add(what, &file);
    }
    add("needs", &format!("agent API {}, Java {}", metadata.api_version, metadata.java_version));
    metadata.services.iter().for_each(|service| add("service", service));
    metadata.requires.iter().for_each(|id| add("requires", id));
    metadata.exports.iter().for_each(|class| add("exports", class));
    metadata.probes.iter().for_each(|probe| add("probe", probe));
    if let Some(class) = &metadata.configurator {
        add("chooses", class);
    }
    match metadata.permissions.as_deref() {
        None => add("permission", "not declared"),
        Some([]) => add("permission", "none"),
        Some(some) => some.iter().for_each(|one| add("permission", &format!("{one}, {}", class(*one)))),
    }
    metadata.reasons.iter().for_each(|(permission, reason)| add("reason", &format!("{permission}: {reason}")));
    for setting in &metadata.settings {
        let default = setting.default.as_ref().map(|default| format!(", default {default}")).unwrap_or_default();
        let help = setting.help.as_ref().map(|help| format!(": {help}")).unwrap_or_default();
        add("setting", &format!("{}, {}{default}{help}", setting.name, setting.kind.word()));
    }
    extension.settings.iter().for_each(|(name, value)| add("set", &format!("{name}={value}")));
    add("state", &extension.refusal().unwrap_or_else(|| "usable".to_owned()));
    lines
}

/// What the parts of an extension are called, and where they are.
fn files(files: &Files) -> Vec<(&'static str, String)> {
    match files {
        Files::Embedded { jar } => vec![("agent", jar.display().to_string())],
        Files::Flat { jar } => vec![("jar", jar.display().to_string())],
        Files::Pair { api, implementation } => {
            vec![("api", api.display().to_string()), ("code", implementation.display().to_string())]
        }
        Files::Zip { zip, api, implementation } => {
            vec![("zip", zip.display().to_string()), ("api", api.clone()), ("code", implementation.clone())]
        }
    }
}

fn to_json(extension: &Extension) -> Map<String, Value> {
    let metadata = &extension.metadata;
    let settings = extension.settings.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
    let denied = match &extension.decision {
        Ok(decision) => decision.reasons().iter().map(Reason::to_string).collect(),
        Err(why) => vec![why.clone()],
    };
    let permissions = metadata.permissions.as_ref();
    let value = json!({
        "id": metadata.id,
        "version": metadata.version,
        "place": extension.place.word(),
        "files": files(&extension.files).into_iter().map(|(what, file)| (what.to_owned(), Value::from(file))).collect::<Map<_, _>>(),
        "services": metadata.services,
        "requires": metadata.requires,
        "permissions": permissions.map(|all| all.iter().map(|one| one.name()).collect::<Vec<_>>()),
        "granted": denied.is_empty(),
        "denied-because": denied,
        "state": state(extension),
        "why": extension.refusal(),
        "settings": settings.collect::<Map<_, _>>(),
    });
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn line(what: &str, text: &str) -> String {
    format!("{what:<10} {text}")
}
