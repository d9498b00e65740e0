//! The short form: from jars to the `agent.toml` that masks them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use manifests::agent_toml::{LiteralPolicy, MergeRule, Relocation};
use manifests::manifest::attribute;

use super::Error as MaskError;
use super::input::Input;
use crate::archive::Limits;
use crate::error::Result;

/// The jars that `fatagent mask` is given.
#[derive(Debug, Clone, Default)]
pub struct Jars {
    /// Jars with bootstrap classes.
    pub boot: Vec<PathBuf>,
    /// The agent jar, and jars that belong to it.
    pub agent: Vec<PathBuf>,
    /// The client jar, and jars that belong to it.
    pub client: Vec<PathBuf>,
    /// Globs of the bootstrap classes; those after `!` are masked nevertheless.
    pub bootstrap: Vec<String>,
}

/// What `fatagent mask` is told about classes that move and files that meet.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// How classes move.
    pub relocate: Vec<Relocation>,
    /// Which string literals follow.
    pub literals: LiteralPolicy,
    /// Decisions about conflicts; the first whose pattern matches counts.
    pub merge: Vec<MergeRule>,
}

/// The keys of an `agent.toml` that say so: those that stand before all tables, and the tables.
pub fn expand_rules(rules: &Rules) -> (String, String) {
    let mut keys = String::new();
    if rules.literals != LiteralPolicy::default() {
        let _ = writeln!(keys, "relocate-literals = {}\n", quoted(rules.literals.word()));
    }
    let mut tables = String::new();
    if !rules.relocate.is_empty() {
        tables.push_str("\n[relocate]\n");
        for Relocation { from, to } in &rules.relocate {
            let _ = writeln!(tables, "{} = {}", quoted(from), quoted(to));
        }
    }
    if !rules.merge.is_empty() {
        tables.push_str("\n[merge]\n");
        for MergeRule { pattern, strategy } in &rules.merge {
            let _ = writeln!(tables, "{} = {}", quoted(pattern), quoted(strategy.word()));
        }
    }
    (keys, tables)
}

/// The bootstrap classes of an agent that is known.
struct Reference {
    /// The package that all patterns are relative to, and by whose `core` the agent is known.
    root: &'static str,
    include: &'static [&'static str],
    /// What is masked of it all the same.
    exclude: &'static [&'static str],
}

/// `BTrace` 3, whose commands and utilities are masked, and `BTrace` 2, whose whole runtime names itself.
const REFERENCES: [Reference; 2] = [
    Reference {
        root: "io/btrace",
        include: &[
            "BTrace.class",
            "core/**/*.class",
            "extension/ExtensionBridge*.class",
            "libs/org/slf4j/**/*.class",
            "runtime/BTraceBootstrap*.class",
            "runtime/BTraceRuntimeAccess*.class",
            "runtime/ExtensionIndy*.class",
            "runtime/Indy*.class",
            "runtime/LinkingFlag*.class",
            "runtime/auxiliary/Auxiliary.class",
        ],
        exclude: &["core/Messages*.class", "core/comm/**", "core/extensions/**"],
    },
    Reference {
        root: "org/openjdk/btrace",
        include: &[
            "core/**/*.class",
            "libs/boot/**/*.class",
            "libs/org/slf4j/**/*.class",
            "runtime/**/*.class",
            "services/**/*.class",
            "statsd/**/*.class",
        ],
        exclude: &[],
    },
];

/// Attributes of an agent jar that its replacement needs too.
const CARRIED: [&str; 3] =
    [attribute::CAN_REDEFINE_CLASSES, attribute::CAN_RETRANSFORM_CLASSES, attribute::CAN_SET_NATIVE_METHOD_PREFIX];

/// An `agent.toml` that masks the jars into an agent called `name`; its paths are those given. The second value says what
/// the user should know.
///
/// # Errors
/// A jar is unreadable, or none of the agent jars is an agent.
pub fn expand(name: &str, jars: &Jars, limits: Limits) -> Result<(String, Vec<String>)> {
    let open = |paths: &[PathBuf]| paths.iter().map(|path| Input::open(path, limits)).collect::<Result<Vec<_>>>();
    let (boot, agents, clients) = (open(&jars.boot)?, open(&jars.agent)?, open(&jars.client)?);
    let find = |inputs: &[Input], name: &str| {
        let values = inputs.iter().filter_map(|input| input.manifest.main.get(name));
        values.map(str::trim).find(|value| !value.is_empty()).map(str::to_owned)
    };
    let (premain, attach) = (find(&agents, attribute::PREMAIN_CLASS), find(&agents, attribute::AGENT_CLASS));
    let Some(main) = premain.clone().or_else(|| attach.clone()) else {
        return Err(MaskError::NoAgentMain { jars: jars.agent.clone() }.into());
    };
    let mut notes = Vec::new();
    let mut attributes = vec![(attribute::BTRACE_AGENT_MAIN, main.clone())];
    attributes.extend(attach.filter(|attach| *attach != main).map(|attach| (attribute::BTRACE_ATTACH_MAIN, attach)));

    // An agent jar may be its own client.
    let (client_jars, client_inputs) = match (jars.client.is_empty(), find(&agents, attribute::MAIN_CLASS)) {
        (true, Some(_)) => (&jars.agent, &agents),
        _ => (&jars.client, &clients),
    };
    match find(client_inputs, attribute::MAIN_CLASS) {
        Some(client) => attributes.push((attribute::BTRACE_CLIENT_MAIN, client)),
        None if client_jars.is_empty() => {}
        None => notes.push(format!(
            "no client jar has `{}`, so `java -jar` will start nothing; hint: name the class as `{}` in the `agent.toml` \
             of `--print`",
            attribute::MAIN_CLASS,
            attribute::BTRACE_CLIENT_MAIN
        )),
    }
    for name in CARRIED {
        let set =
            agents.iter().any(|input| input.manifest.main.get(name).is_some_and(|v| v.eq_ignore_ascii_case("true")));
        attributes.extend(set.then(|| (name, "true".to_owned())));
    }
    attributes.extend(
        find(client_inputs, attribute::ENABLE_NATIVE_ACCESS).map(|value| (attribute::ENABLE_NATIVE_ACCESS, value)),
    );
    let version = find(&agents, attribute::IMPLEMENTATION_VERSION).or_else(|| find(&agents, "Bundle-Version"));
    let version = version.unwrap_or_else(|| {
        notes.push("no agent jar says its version, so it is called `0`".to_owned());
        "0".to_owned()
    });

    let mut toml = String::new();
    // Writing to a string cannot fail.
    let _ = write!(toml, "[agent]\nname = {}\nversion = {}\nlayout = \"masked\"\n", quoted(name), quoted(&version));
    toml.push_str(&bootstrap(jars, &boot));
    section(&mut toml, "agent", &jars.agent, Some("platform"));
    if !client_jars.is_empty() {
        section(&mut toml, "client", client_jars, None);
    }
    toml.push_str("\n[manifest.attributes]\n");
    for (name, value) in attributes {
        let _ = writeln!(toml, "{name} = {}", quoted(&value));
    }
    Ok((toml, notes))
}

fn bootstrap(jars: &Jars, boot: &[Input]) -> String {
    let (mut include, mut exclude) = (Vec::new(), Vec::new());
    for pattern in &jars.bootstrap {
        match pattern.strip_prefix('!') {
            Some(pattern) => exclude.push(pattern.to_owned()),
            None => include.push(pattern.clone()),
        }
    }
    if jars.bootstrap.is_empty() {
        for Reference { root, include: visible, exclude: masked } in REFERENCES {
            let core = format!("{root}/core/");
            if boot.iter().any(|input| input.archive.entries().iter().any(|entry| entry.name.starts_with(&core))) {
                include.extend(visible.iter().map(|pattern| format!("{root}/{pattern}")));
                exclude.extend(masked.iter().map(|pattern| format!("{root}/{pattern}")));
            }
        }
    }
    if jars.boot.is_empty() && include.is_empty() {
        return String::new();
    }
    let mut toml = "\n[bootstrap]\n".to_owned();
    if !jars.boot.is_empty() {
        let _ = writeln!(toml, "from = {}", paths(&jars.boot));
    }
    for (key, patterns) in [("include", include), ("exclude", exclude)] {
        if !patterns.is_empty() {
            let lines: Vec<String> = patterns.iter().map(|pattern| format!("    {},", quoted(pattern))).collect();
            let _ = writeln!(toml, "{key} = [\n{}\n]", lines.join("\n"));
        }
    }
    toml
}

fn section(toml: &mut String, name: &str, jars: &[PathBuf], parent: Option<&str>) {
    let _ = write!(toml, "\n[[section]]\npath = \"META-INF/btrace/{name}\"\nfrom = {}\n", paths(jars));
    if let Some(parent) = parent {
        let _ = writeln!(toml, "parent = \"{parent}\"");
    }
}

fn paths(jars: &[PathBuf]) -> String {
    let items: Vec<String> = jars.iter().map(|jar| quoted(&shown(jar))).collect();
    format!("[{}]", items.join(", "))
}

fn shown(jar: &Path) -> String {
    jar.display().to_string()
}

/// A TOML string, with what `agent.toml` would expand protected.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.replace("${", "$${").chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
