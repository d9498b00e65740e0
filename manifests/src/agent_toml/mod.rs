//! `agent.toml`: what goes into an agent jar.
//!
//! The same tables may stand in a `Cargo.toml` under `[package.metadata.fatagent]`. Paths are kept as written; the
//! caller resolves them against the folder of the file. Strings may hold `${agent.version}` and `${env:NAME}`, which are
//! expanded here, and `$${` for a literal `${`.

pub mod edit;
mod parse;
#[cfg(test)]
mod tests;

pub use crate::Location;
pub use crate::coordinates::Coordinates;
pub use crate::toml::Environment;

/// A whole `agent.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentToml {
    /// `[agent]`.
    pub agent: Agent,
    /// `[[extension]]`, in the order written.
    pub extensions: Vec<Extension>,
    /// `[discover]`.
    pub discover: Option<Discover>,
    /// `[probes] include`: paths and globs of probe sources and classes.
    pub probes: Vec<String>,
    /// `[relocate]`, in the order written.
    pub relocate: Vec<Relocation>,
    /// `relocate-literals`, by default [`LiteralPolicy::Descriptors`].
    pub relocate_literals: LiteralPolicy,
    /// `[merge]`, in the order written.
    pub merge: Vec<MergeRule>,
    /// `[manifest]`.
    pub manifest: ManifestTable,
    /// `[args]`: default agent arguments; numbers and booleans as text.
    pub args: Vec<(String, String)>,
    /// `[config]`: lowest level of `extensions.conf`; nested tables joined by dots, arrays by commas.
    pub config: Vec<ConfigEntry>,
    /// `[policy]`.
    pub policy: Option<Policy>,
    /// `[limits]`.
    pub limits: Limits,
    /// `[verify]`.
    pub verify: VerifyGates,
    /// `[[files]]`.
    pub files: Vec<Files>,
    /// `exclude`: globs of entries to drop.
    pub exclude: Vec<String>,
    /// `flatten-versions`: packages whose `META-INF/versions/N` copies are promoted.
    pub flatten_versions: Vec<String>,
    /// `[[generate]]`.
    pub generate: Vec<Generate>,
    /// `[bootstrap]`, for `layout = "masked"` and `layout = "foreign"`.
    pub bootstrap: Option<Bootstrap>,
    /// `[[section]]`, for `layout = "masked"` and `layout = "foreign"`.
    pub sections: Vec<Section>,
    present: Vec<Present>,
}

/// A table or key that the text really has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// `merge` for a top-level table or key, `manifest.boot-libs` for a key of a table.
    pub key: String,
    /// Where it stands first.
    pub at: Location,
}

/// `[agent]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// `name`, of `[A-Za-z0-9._-]`; the jar is `<name>.jar`.
    pub name: String,
    /// `version`, free text, not empty.
    pub version: String,
    /// `base`, by default [`Base::Builtin`].
    pub base: Base,
    /// `targets` such as `x86_64-gnu`; `None` means the host.
    pub targets: Option<Vec<String>>,
    /// `layout`.
    pub layout: Option<Layout>,
    /// Where `[agent]` begins.
    pub at: Location,
}

/// `agent.base`: the jar that is extended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    /// `"builtin"`: the agent inside `fatagent`.
    Builtin,
    /// `{ file = "…" }`: a masked jar.
    File(String),
    /// `{ maven = "g:a:v" }`.
    Maven(Coordinates),
}

impl Layout {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Btrace3 => "btrace3",
            Self::Masked => "masked",
            Self::Foreign => "foreign",
            Self::Plain => "plain",
        }
    }
}

/// `agent.layout`, where it is not our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `"btrace3"`: implementations at the root, as `BTrace` 3 has them.
    Btrace3,
    /// `"masked"`: ordinary agent jars behind our Loader, without the core.
    Masked,
    /// `"foreign"`: another vendor's masked jar.
    Foreign,
    /// `"plain"`: an ordinary uber jar.
    Plain,
}

/// One `[[extension]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extension {
    /// The one of `path`, `file` and `maven` that is present.
    pub source: ExtensionSource,
    /// `relocate`: rules of this extension.
    pub relocate: Vec<Relocation>,
    /// Where the table begins.
    pub at: Location,
}

/// Where an extension comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtensionSource {
    /// `path`: a project folder or a folder of built output.
    Path(String),
    /// `file`: an extension zip or jar.
    File(String),
    /// `maven`: coordinates.
    Maven(Coordinates),
}

/// `[discover]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discover {
    /// `members`: globs of folders that may carry an extension manifest.
    pub members: Vec<String>,
    /// `default`: ids embedded when `--embed` is absent.
    pub default: Vec<String>,
}

/// One rule of `[relocate]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// Package prefix, or `=a.b.C` for one class.
    pub from: String,
    /// Its replacement; `{id}` stands for the extension's id.
    pub to: String,
}

/// `relocate-literals`: which string literals follow relocation. Only whole literals ever do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LiteralPolicy {
    /// `"off"`: none.
    Off,
    /// `"names"`: those that are the name of a class, package or resource of the jar.
    Names,
    /// `"descriptors"`: such names, and descriptors and signatures.
    #[default]
    Descriptors,
}

impl LiteralPolicy {
    /// The words for the policies, in `agent.toml` and on the command line.
    pub const WORDS: [&'static str; 3] = ["descriptors", "names", "off"];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Descriptors => "descriptors",
            Self::Names => "names",
            Self::Off => "off",
        }
    }

    /// The policy that a word stands for.
    pub fn of(word: &str) -> Option<Self> {
        [Self::Descriptors, Self::Names, Self::Off].into_iter().find(|policy| policy.word() == word)
    }
}

/// One rule of `[merge]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRule {
    /// Glob of entry names.
    pub pattern: String,
    /// What is done.
    pub strategy: MergeStrategy,
}

/// What decides where two different files claim one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeStrategy {
    /// The first input's file.
    First,
    /// The last input's file.
    Last,
    /// All files joined.
    Concatenate,
    /// All files joined, each beginning on a new line.
    Append,
    /// None: the build stops.
    Error,
}

impl MergeStrategy {
    /// The word for it, in `agent.toml` and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Last => "last",
            Self::Concatenate => "concatenate",
            Self::Append => "append",
            Self::Error => "error",
        }
    }
}

/// `[manifest]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestTable {
    /// `boot-libs`.
    pub boot_libs: Vec<String>,
    /// `system-libs`.
    pub system_libs: Vec<String>,
    /// `libs-root`.
    pub libs_root: Option<String>,
    /// `libs-profile`.
    pub libs_profile: Option<String>,
    /// `attributes`: further main attributes, in the order written; names and values are valid in a manifest.
    pub attributes: Vec<(String, String)>,
}

/// One key of `[config]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEntry {
    /// The key of `extensions.conf`.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Where the value stands.
    pub at: Location,
}

/// `[policy]`: [`crate::policy::Policy`] reads its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// `sealed`: files and arguments can only narrow it.
    pub sealed: bool,
    /// All other keys, as in `permissions.properties`, each with a value that it takes; arrays joined by commas.
    pub entries: Vec<(String, String)>,
}

/// `[limits]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// `maxMethods`: methods woven at most.
    pub max_methods: Option<u64>,
    /// `maxEventsPerSecond`.
    pub max_events_per_second: Option<u64>,
}

/// `[verify]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyGates {
    /// `max-size` of the jar in bytes; a number of bytes or a string such as `"5 MB"`.
    pub max_size: Option<u64>,
    /// `min-classes`: classes in the jar at least.
    pub min_classes: Option<u64>,
    /// `require`: globs of which each matches an entry.
    pub require: Vec<String>,
    /// `forbid`: globs that match no entry.
    pub forbid: Vec<String>,
    /// `allow-both`: class names that may be bootstrap and masked.
    pub allow_both: Vec<String>,
    /// `golden`: a listing that the jar must equal.
    pub golden: Option<String>,
}

/// One `[[files]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// `from`.
    pub from: Vec<Source>,
    /// `into`: folder in the jar.
    pub into: String,
    /// Where the table begins.
    pub at: Location,
}

/// One item of a `from`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A path or glob.
    Path(String),
    /// `maven:g:a:v`.
    Maven(Coordinates),
}

/// One `[[generate]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generate {
    /// `run`: program and arguments, not empty.
    pub run: Vec<String>,
    /// `outputs`: globs of what the command may write, not empty.
    pub outputs: Vec<String>,
    /// Where the table begins.
    pub at: Location,
}

/// `[bootstrap]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bootstrap {
    /// `from`: jars whose classes may be bootstrap classes; what is not selected is masked, or with `layout = "foreign"` is
    /// left out with a warning, unless a section has the jar too.
    pub from: Vec<Source>,
    /// `include`: globs of paths, of any input; empty means everything of `from`.
    pub include: Vec<String>,
    /// `exclude`: globs of paths that are masked although they are included.
    pub exclude: Vec<String>,
}

/// One `[[section]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// `path`: folder in the jar.
    pub path: String,
    /// `suffix` of class files, by default `.classdata`.
    pub suffix: String,
    /// `versions`.
    pub versions: Versions,
    /// `from`.
    pub from: Vec<Source>,
    /// `exclude`: globs.
    pub exclude: Vec<String>,
    /// `relocate`.
    pub relocate: Vec<Relocation>,
    /// `parent`, for `layout = "masked"`.
    pub parent: Option<Parent>,
    /// Where the table begins.
    pub at: Location,
}

/// `section.parent`: the loader that a section's loader asks first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// `"bootstrap"`: the bootstrap loader alone.
    Bootstrap,
    /// `"platform"`: every module of the JDK that is not an application's.
    Platform,
    /// `"system"`: the application's class path too.
    System,
}

impl Parent {
    /// The word for it, in `agent.toml` and in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bootstrap => "bootstrap",
            Self::Platform => "platform",
            Self::System => "system",
        }
    }
}

/// `section.versions`: where `META-INF/versions` of a section goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Versions {
    /// `"inside"`: below the section's path.
    #[default]
    Inside,
    /// `"root"`: below the jar's root.
    Root,
}

/// Name and version of the Cargo package, which `[package.metadata.fatagent.agent]` may leave out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CargoPackage<'a> {
    /// Package name.
    pub name: Option<&'a str>,
    /// Package version.
    pub version: Option<&'a str>,
}

impl AgentToml {
    /// Reads `agent.toml`. `origin` is what errors call the text.
    pub fn parse(text: &str, origin: &str, environment: Environment<'_>) -> Result<Self, crate::Error> {
        parse::parse(text, origin, environment)
    }

    /// Reads the same tables from `[package.metadata.fatagent]` of a `Cargo.toml`; `None` when it has none.
    ///
    /// `package` is what Cargo resolved; where it is `None`, the literal values of `[package]` count.
    pub fn parse_cargo(
        text: &str,
        origin: &str,
        package: CargoPackage<'_>,
        environment: Environment<'_>,
    ) -> Result<Option<Self>, crate::Error> {
        parse::parse_cargo(text, origin, package, environment)
    }

    /// Every top-level table and key, and every key of a top-level table, in the order written and each once, so that a
    /// caller can refuse what it does not implement.
    pub fn present(&self) -> &[Present] {
        &self.present
    }

    /// Where a key such as `exclude` or `verify.allow-both` stands first; where `[agent]` begins if it is absent.
    pub fn place_of(&self, key: &str) -> &Location {
        self.present.iter().find(|present| present.key == key).map_or(&self.agent.at, |present| &present.at)
    }

    /// The top-level tables and keys of [`AgentToml::present`].
    pub fn present_tables(&self) -> impl Iterator<Item = &Present> {
        self.present.iter().filter(|present| !present.key.contains('.'))
    }
}

/// Whether a text may be the name of an agent or of its jar: letters, digits, `.`, `_` and `-`, so that it needs no
/// encoding in `Boot-Class-Path`.
pub fn is_output_name(name: &str) -> bool {
    parse::is_output_name(name)
}
