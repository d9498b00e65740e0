//! Everything that can go wrong in this crate, each with its cause and its remedy.

mod hint;
#[cfg(test)]
mod tests;

pub(crate) use hint::listed;

use std::io;
use std::path::PathBuf;

use zip::result::ZipError;

use crate::archive::NameProblem;
use crate::origin::{Origin, Place};

/// The result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong. [`Error::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written; the message of the cause names it.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file that was named does not exist.
    #[error("file does not exist: `{}`", path.display())]
    FileMissing {
        /// The path as given.
        path: PathBuf,
    },

    /// A file is no zip archive.
    #[error("not a jar: `{}`: {reason}", path.display())]
    NotAJar {
        /// The path as given.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A zip archive ends before its directory.
    #[error("jar is cut short: `{}`", path.display())]
    TruncatedJar {
        /// The path as given.
        path: PathBuf,
        /// What the reader missed.
        source: Box<ZipError>,
    },
    /// A jar could not be read from its disk.
    #[error("cannot read jar: `{}`", path.display())]
    UnreadableJar {
        /// The path as given.
        path: PathBuf,
        /// Why.
        source: Box<ZipError>,
    },
    /// An entry has a name that could be written outside a folder or mean two things.
    #[error("`{}` has an entry whose name is refused because {problem}: `{entry}`", jar.display())]
    BadEntryName {
        /// The archive.
        jar: PathBuf,
        /// The name, with bytes outside ASCII escaped.
        entry: String,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// Two entries of one archive have one name, so that readers disagree which counts.
    #[error("`{}` has two entries of one name: `{entry}`", jar.display())]
    DuplicateEntry {
        /// The archive.
        jar: PathBuf,
        /// The name.
        entry: String,
    },
    /// The extra fields of an entry are such that readers disagree about it.
    #[error("`{}` has an entry whose extra fields are refused because {problem}: `{entry}`", jar.display())]
    BadExtra {
        /// The archive.
        jar: PathBuf,
        /// The name, with bytes outside ASCII escaped.
        entry: String,
        /// What is wrong with them.
        problem: &'static str,
    },
    /// A name of an archive is both a file and a folder.
    #[error("`{}` has a file that is also a folder: `{file}`, because of `{child}`", jar.display())]
    FileIsFolder {
        /// The archive.
        jar: PathBuf,
        /// The file.
        file: String,
        /// The entry below it.
        child: String,
    },
    /// Two entries of an archive share bytes.
    #[error("entries share bytes in jar: `{}`", jar.display())]
    OverlappingEntries {
        /// The archive.
        jar: PathBuf,
    },
    /// An archive has more entries than are read.
    #[error("`{}` has more than {limit} entries: {got}", jar.display())]
    TooManyEntries {
        /// The archive.
        jar: PathBuf,
        /// Most entries.
        limit: usize,
        /// Its entries.
        got: usize,
    },
    /// An entry inflates to more bytes than are read.
    #[error("`{entry}` of `{}` inflates to more than {limit} bytes: {got}", jar.display())]
    EntryTooLarge {
        /// The archive.
        jar: PathBuf,
        /// The entry.
        entry: String,
        /// Most bytes.
        limit: u64,
        /// Its bytes.
        got: u64,
    },
    /// All entries together inflate to more bytes than are read.
    #[error("`{}` inflates to more than {limit} bytes", jar.display())]
    ArchiveTooLarge {
        /// The archive.
        jar: PathBuf,
        /// Most bytes.
        limit: u64,
    },
    /// An entry inflates to many times its size, as a decompression bomb does.
    #[error("`{entry}` of `{}` inflates to more than {limit} times its size: {got}", jar.display())]
    RatioTooHigh {
        /// The archive.
        jar: PathBuf,
        /// The entry.
        entry: String,
        /// Highest ratio.
        limit: u64,
        /// Its ratio.
        got: u64,
    },
    /// An entry inflates to another size than it declares.
    #[error("`{entry}` of `{}` inflates to {} bytes than declared: {declared}", jar.display(), if *more { "more" } else { "fewer" })]
    WrongSize {
        /// The archive.
        jar: PathBuf,
        /// The entry.
        entry: String,
        /// Bytes declared.
        declared: u64,
        /// Whether there are more.
        more: bool,
    },
    /// The data of an entry cannot be inflated or has another CRC-32.
    #[error("damaged entry in `{}`: `{entry}`", jar.display())]
    DamagedEntry {
        /// The archive.
        jar: PathBuf,
        /// The entry.
        entry: String,
        /// What the reader says.
        source: Box<io::Error>,
    },
    /// An entry is encrypted, or compressed by a method that the JVM does not know.
    #[error("`{entry}` of `{}` cannot be read by any JVM: it is {how}", jar.display())]
    ForeignEntry {
        /// The archive.
        jar: PathBuf,
        /// The entry.
        entry: String,
        /// What it is.
        how: String,
    },

    /// Two different files claim one path of the output.
    #[error("two different files claim `{path}`: {first}, and {second}")]
    Conflict {
        /// Path in the output.
        path: String,
        /// The one that came first.
        first: Box<Origin>,
        /// The other one.
        second: Box<Origin>,
    },
    /// One class name would be visible at two places, so that two classes of that name exist at run time.
    #[error("class `{class}` would be both {} and {}", first, second)]
    ClassTwice {
        /// Dotted class name.
        class: String,
        /// One place with its origin.
        first: Box<Place>,
        /// The other one.
        second: Box<Place>,
    },
    /// `SOURCE_DATE_EPOCH` is not a time that a zip can carry.
    #[error("environment variable `SOURCE_DATE_EPOCH` is not a number of seconds from 1970 to 2107: `{value}`")]
    Epoch {
        /// Its value.
        value: String,
    },
    /// The output could not be put in place.
    #[error("cannot write `{}`", path.display())]
    Unwritable {
        /// The output.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The jar writer failed.
    #[error("the jar could not be written")]
    JarNotWritten {
        /// Why.
        source: Box<ZipError>,
    },
    /// The file name of the output could not stand in `Boot-Class-Path`.
    #[error("file name of the output has other characters than `[A-Za-z0-9._-]`, or begins with a dot: `{name}`")]
    OutputName {
        /// The name.
        name: String,
    },
    /// What was written does not pass our own check: the base is incomplete, or without one this program has a defect.
    #[error("the jar that was built does not pass its own check, problems: {count}, first: {first}")]
    SelfCheck {
        /// Number of problems.
        count: usize,
        /// The first one.
        first: String,
        /// The base that was given.
        base: Option<PathBuf>,
    },
    /// What is named is no extension.
    #[error(transparent)]
    NotInstalled(#[from] extensions::Error),
    /// Something cannot be done with extensions that there are.
    #[error(transparent)]
    Ext(#[from] crate::ops::ext::ExtError),
    /// A fat agent cannot be built of its extensions and defaults.
    #[error(transparent)]
    Build(#[from] crate::ops::build::BuildError),
    /// Ordinary agent jars cannot be masked.
    #[error(transparent)]
    Mask(#[from] crate::mask::Error),
    /// Another vendor's jar cannot be built.
    #[error(transparent)]
    Foreign(#[from] crate::foreign::Error),
    /// An extension does not fit a release of the application's library.
    #[error(transparent)]
    Check(#[from] crate::ops::extension::check::CheckError),
    /// An extension has errors.
    #[error(transparent)]
    Lint(#[from] crate::ops::extension::lint::LintError),
    /// A pattern of a probe is no regular expression.
    #[error(transparent)]
    ProbePattern(#[from] crate::against::PatternError),
    /// An extension breaks one of the rules for extensions.
    #[error(transparent)]
    Extension(#[from] crate::extension::ExtensionError),
    /// An extension cannot be built from its project.
    #[error(transparent)]
    Bundle(#[from] crate::bundle::Error),
    /// Coordinates without a file.
    #[error(transparent)]
    Maven(#[from] crate::maven::Error),
    /// Something cannot be published.
    #[error(transparent)]
    Publish(#[from] crate::publish::Error),
    /// No `agent.toml` where one was looked for.
    #[error("no `agent.toml` and no `[package.metadata.fatagent]` in: `{}`", folder.display())]
    NoAgentToml {
        /// The folder.
        folder: PathBuf,
    },
    /// No `extension.toml` where one was looked for.
    #[error("no `extension.toml` and no `[package.metadata.fatagent.extension]` in: `{}`", folder.display())]
    NoExtensionToml {
        /// The folder.
        folder: PathBuf,
    },
    /// `agent.toml`, or the same tables of a `Cargo.toml`, is wrong; the message of the cause holds the place.
    #[error(transparent)]
    AgentToml(Box<manifests::Error>),
    /// `cargo metadata` failed.
    #[error("cannot read the Cargo package at `{}`", manifest.display())]
    Cargo {
        /// The `Cargo.toml`.
        manifest: PathBuf,
        /// Why.
        source: Box<cargo_metadata::Error>,
    },
    /// A Cargo package is not the one that is wanted.
    #[error(transparent)]
    CargoPackage(#[from] crate::cargo_package::PackageError),
    /// `cargo fatagent` cannot do what it was asked.
    #[error(transparent)]
    CargoDriver(#[from] crate::cargo_driver::Error),
    /// A table, key or value that a later version will understand.
    #[error("{at}: {what} is not supported by this version yet")]
    NotSupported {
        /// Place in `agent.toml`, or its path.
        at: String,
        /// Table, key or value for display.
        what: String,
    },
    /// A table or key that only another layout has.
    #[error("{at}: {what} needs `layout = \"{layout}\"`")]
    OtherLayout {
        /// Place in `agent.toml`.
        at: String,
        /// Table or key for display.
        what: String,
        /// The layout.
        layout: &'static str,
    },
    /// A manifest attribute that the builder itself decides.
    #[error("manifest attribute is set by fatagent and cannot be changed: `{name}`")]
    ReservedAttribute {
        /// The attribute.
        name: String,
    },
    /// A glob matches no file.
    #[error("{at}: pattern matches no file: `{pattern}`")]
    NoMatch {
        /// Place in `agent.toml`, or its path.
        at: String,
        /// The pattern.
        pattern: String,
    },
    /// A pattern that cannot be a glob.
    #[error("{at}: not a pattern: `{pattern}`: {problem}")]
    Pattern {
        /// Place in `agent.toml`, or its path.
        at: String,
        /// The pattern.
        pattern: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// The base is an ordinary jar.
    #[error("base is not a masked jar: `{}`: {missing}", jar.display())]
    NotMasked {
        /// The base.
        jar: PathBuf,
        /// What it lacks.
        missing: String,
    },
    /// The base has no native core for a target.
    #[error("base has no core for target: `{target}`")]
    NoCore {
        /// The target.
        target: String,
        /// The targets it has cores for.
        available: Vec<String>,
    },
    /// A text inside a jar or folder is not in its format.
    #[error("cannot use {origin}")]
    Format {
        /// Where the text is.
        origin: Box<Origin>,
        /// What is wrong with it.
        source: Box<manifests::Error>,
    },
    /// Jars could not become one.
    #[error(transparent)]
    Merge(#[from] crate::merge::MergeError),
    /// A class file cannot be used.
    #[error("not a usable class: {origin}")]
    Class {
        /// Where it is.
        origin: Box<Origin>,
        /// What is wrong with it.
        source: Box<classfile::Error>,
    },
    /// A class file holds another class than its path says.
    #[error("{origin} holds another class: `{found}`")]
    ClassName {
        /// Where it is.
        origin: Box<Origin>,
        /// Dotted name of the class inside.
        found: String,
    },

    /// A probe is given as source.
    #[error("source probes are not supported by this version yet: `{}`", path.display())]
    SourceProbe {
        /// The source file.
        path: PathBuf,
    },
    /// A file among the probes is no class, or a class that is not marked as a probe.
    #[error("not a probe: {origin}: {reason}")]
    NotAProbe {
        /// Where it is.
        origin: Box<Origin>,
        /// Why not.
        reason: String,
    },

    /// A jar does not pass `verify`.
    #[error("verification of `{}` failed, problems: {count}", jar.display())]
    VerifyFailed {
        /// The jar.
        jar: PathBuf,
        /// Number of problems.
        count: usize,
    },
    /// A jar that was built does not pass the gates of `[verify]`.
    #[error("the jar that was built does not pass its `[verify]` gates, problems: {count}: {}", failures.join("; "))]
    GatesFailed {
        /// Number of problems.
        count: usize,
        /// Each kind of problem with samples.
        failures: Vec<String>,
    },
    /// A golden listing is to be written, but none is named.
    #[error("{at}: no golden listing to update: `verify.golden` is absent")]
    NoGolden {
        /// The `agent.toml`.
        at: String,
    },
    /// A jar has or asks for more than an older one.
    #[error("`{}` is not acceptable in place of `{}`, problems: {count}", jar.display(), old.display())]
    AgainstFailed {
        /// The jar.
        jar: PathBuf,
        /// The older jar.
        old: PathBuf,
        /// Number of problems.
        count: usize,
    },
    /// A jar holds no core for this computer.
    #[error("`{}` has no core for target: `{target}`", jar.display())]
    JarWithoutCore {
        /// The jar.
        jar: PathBuf,
        /// The target of this computer.
        target: String,
        /// The targets it has cores for.
        available: Vec<String>,
    },
    /// A jar holds a core that is not the one its manifest names.
    #[error("core of `{}` does not have the SHA-256 of its manifest: `{target}`", jar.display())]
    CoreHash {
        /// The jar.
        jar: PathBuf,
        /// The target.
        target: String,
    },
    /// A process cannot be reached.
    #[error("cannot attach to process: {pid}")]
    Attach {
        /// The process id.
        pid: u32,
        /// Why.
        source: Box<client::Error>,
    },
    /// A JVM runs no core of ours.
    #[error("no agent core is running in process: {pid}")]
    NoCoreRunning {
        /// The process id.
        pid: u32,
    },
    /// The property of a running core has another form than this version writes.
    #[error("process {pid} has an unknown value of the property `btrace.agent.core`: `{value}`")]
    CoreProperty {
        /// The process id.
        pid: u32,
        /// The value.
        value: String,
    },
    /// The jar that a running core came from is gone.
    #[error("the jar of the core in process {pid} is gone: `{}`", jar.display())]
    JarGone {
        /// The process id.
        pid: u32,
        /// The jar as the process names it.
        jar: PathBuf,
    },
    /// The demo failed.
    #[error("the demo failed: {reason}")]
    Demo {
        /// Why.
        reason: String,
        /// The remedy.
        hint: Option<String>,
    },
}

impl From<manifests::Error> for Error {
    fn from(error: manifests::Error) -> Self {
        Self::AgentToml(Box::new(error))
    }
}
