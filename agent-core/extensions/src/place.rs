//! Where extensions may be, in the order in which one place overrides another.

use std::fmt;
use std::path::{Path, PathBuf};

use manifests::arguments::AgentArguments;

use crate::find;
use crate::host::Host;

/// The kinds of places. A later one overrides an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Inside an agent jar, or another jar of the bootstrap path.
    Embedded,
    /// `extensions` in `BTRACE_HOME`, or in the folder of the argument `btraceHome`.
    Home,
    /// The folder of the machine, or of the argument `systemExtensions`.
    System,
    /// `.btrace/extensions` in the user's home, or the folder of the argument `userExtensions`.
    User,
    /// `extension.path` of `btrace.conf`, which stands for the three above.
    Configured,
    /// `BTRACE_EXT_PATH`.
    Environment,
    /// The argument `extPath`, which `--ext-path` becomes.
    Argument,
    /// `.btrace/extensions` beside a script.
    Script,
}

impl Kind {
    /// A word for it, for programs and people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Home => "home",
            Self::System => "system",
            Self::User => "user",
            Self::Configured => "configured",
            Self::Environment => "environment",
            Self::Argument => "argument",
            Self::Script => "script",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A folder to look into, or one extension by its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What named it.
    pub kind: Kind,
    /// The folder or file.
    pub path: PathBuf,
    /// Whether somebody named this very path, so that its absence is worth a line.
    pub named: bool,
}

/// The installed places in order, the weakest first. `configured` are the folders of `extension.path`, where it is set;
/// `reports` get a line about each place that is not looked into.
pub(crate) fn installed(
    host: &Host,
    arguments: &AgentArguments,
    configured: Option<Vec<PathBuf>>,
    scripts: &[PathBuf],
    reports: &mut Vec<String>,
) -> Vec<Place> {
    let mut places = Vec::new();
    let mut add = |kind, path: Option<PathBuf>, named| places.extend(path.map(|path| Place { kind, path, named }));
    // An argument that is there but empty means that there is no such place.
    let given = |key: &str| arguments.get(key).map(|path| Some(path).filter(|p| !p.is_empty()).map(PathBuf::from));
    if let Some(folders) = configured {
        for folder in folders {
            add(Kind::Configured, Some(folder), false);
        }
    } else {
        if !arguments.flag("noBuiltinExt") {
            let home = given("btraceHome").unwrap_or_else(|| host.btrace_home());
            add(Kind::Home, home.map(|home| home.join("extensions")), false);
        }
        let named = |key: &str| arguments.get(key).is_some();
        add(
            Kind::System,
            given("systemExtensions").unwrap_or_else(|| host.system_extensions()),
            named("systemExtensions"),
        );
        let user = || host.home().map(|home| home.join(".btrace").join("extensions"));
        add(Kind::User, given("userExtensions").unwrap_or_else(user), named("userExtensions"));
    }
    for folder in host.variable("BTRACE_EXT_PATH").map(|list| host.split_paths(list)).unwrap_or_default() {
        add(Kind::Environment, Some(folder), true);
    }
    for folder in arguments.get("extPath").map(|list| host.split_paths(list.as_ref())).unwrap_or_default() {
        add(Kind::Argument, Some(folder), true);
    }
    for script in scripts {
        let folder = script.parent().unwrap_or(Path::new("")).join(".btrace").join("extensions");
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        if places.iter().any(|place| place.path == folder) || !folder.is_dir() {
            continue;
        }
        match refusal(host, arguments, &folder) {
            None => places.push(Place { kind: Kind::Script, path: folder, named: false }),
            Some(why) => reports.push(format!("extensions in {} are not used: {why}", folder.display())),
        }
    }
    places
}

/// Why extensions beside a script are not used.
fn refusal(host: &Host, arguments: &AgentArguments, folder: &Path) -> Option<String> {
    if !arguments.flag("allowScriptExtensions") {
        let hint = "hint: start with the argument `allowScriptExtensions` if you trust them";
        return Some(format!("they lie beside a script; {hint}"));
    }
    let Some(user) = host.user else {
        return Some("this process cannot be told who owns them; hint: install them elsewhere".to_owned());
    };
    let mut parts = vec![folder.to_owned(), folder.parent().unwrap_or(folder).to_owned()];
    parts.extend(fs_err::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()));
    parts.iter().find_map(|part| foreign(part, user))
}

/// Says why a file or folder may be somebody else's work.
#[cfg(unix)]
fn foreign(path: &Path, user: u32) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let hint = "hint: let the user of the JVM own it, and nobody else write to it";
    let metadata = match fs_err::metadata(path) {
        Ok(metadata) => metadata,
        Err(e) => return Some(e.to_string()),
    };
    let owner = metadata.uid();
    if owner != user {
        return Some(format!("{} belongs to user {owner}, not to {user}; {hint}", path.display()));
    }
    (metadata.mode() & 0o002 != 0).then(|| format!("everybody may write to {}; {hint}", path.display()))
}

#[cfg(not(unix))]
fn foreign(_path: &Path, _user: u32) -> Option<String> {
    None
}

/// Older spellings of places: one line where something lies there.
pub(crate) fn older_spellings(host: &Host, reports: &mut Vec<String>) {
    let older = [
        (host.btrace_home().map(|home| home.join("libs").join("extensions")), "BTRACE_HOME/extensions"),
        (host.home().map(|home| home.join(".btrace").join("ext")), "~/.btrace/extensions"),
    ];
    for (folder, new) in older {
        let Some(folder) = folder else { continue };
        let mut entries = fs_err::read_dir(&folder).into_iter().flatten().flatten();
        let is_file_of_one = |path: &Path| [".jar", ".zip"].iter().any(|end| find::has_end(path, end));
        if entries.any(|entry| is_file_of_one(&entry.path()) || entry.path().is_dir()) {
            reports.push(format!("extensions in {} are not read; hint: move them to {new}", folder.display()));
        }
    }
}
