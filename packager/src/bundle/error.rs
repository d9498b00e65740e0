//! What stops an extension from being built.

use std::path::PathBuf;

use manifests::permission::Permission;

use crate::origin::Origin;

/// Why an extension cannot be built from its project.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There are no compiled classes.
    #[error("{at}: the extension is not compiled: no class in `{}`", missing.display())]
    NotBuilt {
        /// The description.
        at: String,
        /// Where they would be.
        missing: PathBuf,
        /// The tool that the project has, and the command that compiles.
        command: Option<(&'static str, String)>,
    },
    /// The zip of a project is not there.
    #[error("the extension is not built, `{}` does not exist", zip.display())]
    ZipNotBuilt {
        /// The zip.
        zip: PathBuf,
        /// The command that builds it.
        command: String,
        /// The description and the name of the zip that the command makes, if it makes another one.
        other: Option<(String, String)>,
    },
    /// Two tools have compiled the extension.
    #[error("{at}: two outputs of compilers are there: `{}`, and `{}`", first.display(), second.display())]
    TwoOutputs {
        /// The description.
        at: String,
        /// One of them.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
    },
    /// `--compile` finds no source.
    #[error("{at}: no source to compile in: {}", folders.iter().map(|folder| format!("`{}`", folder.display())).collect::<Vec<_>>().join(", "))]
    NoSources {
        /// The description.
        at: String,
        /// Where sources were looked for.
        folders: Vec<PathBuf>,
    },
    /// A folder of `sources` is not there.
    #[error("{at}: a folder of `sources` does not exist: `{}`", folder.display())]
    NoSourceFolder {
        /// The description.
        at: String,
        /// The folder.
        folder: PathBuf,
    },
    /// The output would be among the classes that are read.
    #[error("the output would go where classes are read from: `{}` is within `{}`", output.display(), root.display())]
    OutputWithin {
        /// Where the output would go.
        output: PathBuf,
        /// The folder of classes or resources.
        root: PathBuf,
    },
    /// A pattern of `probes` matches nothing.
    #[error("{at}: `probes` matches neither a file nor a compiled class: `{pattern}`")]
    NoProbe {
        /// The description.
        at: String,
        /// The pattern.
        pattern: String,
    },
    /// There is no compiler, or it does not do its work.
    #[error("the sources cannot be compiled: {reason}")]
    Compiler {
        /// Why.
        reason: String,
        /// The remedy.
        hint: &'static str,
    },
    /// The extension has neither services nor anything else to offer.
    #[error("{at}: the extension offers nothing: no service, no export, no probe and no configurator")]
    NothingOffered {
        /// The description.
        at: String,
    },
    /// An interface that is marked or listed as a service cannot be one.
    #[error("`{class}` cannot be a service: it is no {wanted} ({origin})")]
    NotAService {
        /// Dotted class name.
        class: String,
        /// What it would have to be.
        wanted: &'static str,
        /// Where it is.
        origin: Box<Origin>,
    },
    /// A marker of an older agent, which nobody reads any more.
    #[error("`{class}` has an annotation of an older agent, which marks nothing: `{annotation}` ({origin})")]
    OldMarker {
        /// Dotted class name.
        class: String,
        /// Dotted name of the annotation.
        annotation: String,
        /// Where it is.
        origin: Box<Origin>,
    },
    /// Two packages describe the extension.
    #[error("two packages have `@ExtensionDescriptor`: {first}, and {second}")]
    TwoDescriptors {
        /// One of them.
        first: Box<Origin>,
        /// The other one.
        second: Box<Origin>,
    },
    /// The description and what the classes say of themselves disagree.
    #[error("{at}: `{key}` is `{stated}`, but {origin} says: `{found}`")]
    Disagree {
        /// The description.
        at: String,
        /// Its key.
        key: &'static str,
        /// Its value.
        stated: String,
        /// The other value.
        found: String,
        /// Where that stands.
        origin: Box<Origin>,
    },
    /// `excluded-exports` names a class that is exported.
    #[error("{at}: `excluded-exports` keeps out a class that is {what}: `{class}`")]
    ExcludedExport {
        /// The description.
        at: String,
        /// Dotted class name.
        class: String,
        /// What it is.
        what: &'static str,
    },
    /// An API class shows or uses a class that its users cannot see.
    #[error("API class `{class}` names in {place} {what}: `{type_name}`")]
    Leak {
        /// Dotted name of the API class.
        class: String,
        /// Dotted name of the other one.
        type_name: String,
        /// Where.
        place: String,
        /// What the other one is.
        what: String,
    },
    /// Several such classes.
    #[error("{first}; and further names of that kind: {others}")]
    Leaks {
        /// The first one.
        first: Box<Error>,
        /// How many more.
        others: usize,
    },
    /// There is a copy of an API class for a newer version of Java.
    #[error("API class `{class}` has a copy for a newer Java version, which nobody would take ({origin})")]
    VersionedApi {
        /// Dotted class name.
        class: String,
        /// The copy.
        origin: Box<Origin>,
    },
    /// An implementation class uses something of the API that only its package can use.
    #[error("`{class}` uses something of the API that is not public: `{used}` ({origin})")]
    OutOfReach {
        /// Dotted name of the implementation class.
        class: String,
        /// The API class or its member.
        used: String,
        /// Where the implementation class is.
        origin: Box<Origin>,
    },
    /// An API class is in a package that is not the extension's own.
    #[error("API class `{class}` of extension `{id}` is in a package that {whose}")]
    ForeignPackage {
        /// The extension.
        id: String,
        /// Dotted class name.
        class: String,
        /// Whose the package is.
        whose: String,
    },
    /// An API class does something privileged.
    #[error("API class `{class}` needs {permission} in {place}: {how} `{target}` {why}")]
    PrivilegedApi {
        /// Dotted class name.
        class: String,
        /// The permission.
        permission: Permission,
        /// The method, or the class itself.
        place: String,
        /// How it is used.
        how: &'static str,
        /// What is used.
        target: String,
        /// Why that is privileged.
        why: &'static str,
    },
    /// A rule of `[shade]` matches no class.
    #[error("{at}: a rule of `[shade]` matches no class that is packed: `{from}`")]
    UnusedShade {
        /// The description.
        at: String,
        /// Its left side.
        from: String,
    },
    /// The configurator cannot be called.
    #[error("{at}: `{class}` cannot be the configurator: it {reason}")]
    NotAConfigurator {
        /// The description.
        at: String,
        /// Dotted class name.
        class: String,
        /// Why not.
        reason: &'static str,
    },
    /// A file of `native` is no native library.
    #[error("{at}: not a native library: `{}`", path.display())]
    NotALibrary {
        /// The description.
        at: String,
        /// The file.
        path: PathBuf,
    },
    /// A folder is described in two ways.
    #[error("`{}` is described twice: by `{first}` and by `{second}`", folder.display())]
    DescribedTwice {
        /// The folder.
        folder: PathBuf,
        /// One file.
        first: String,
        /// The other one.
        second: String,
    },
    /// A file of a zip is not the one that its checksums are of.
    #[error("{origin} says something else about the zip: {problem}")]
    Checksums {
        /// The list.
        origin: Box<Origin>,
        /// What differs.
        problem: String,
    },
}

impl Error {
    /// The remedy.
    pub fn hint(&self) -> String {
        match self {
            Self::NotBuilt { command: None, .. } => {
                "compile it, or name with `classes` the folders or jars where the compiled classes are".into()
            }
            Self::ZipNotBuilt { other: Some((at, name)), command, .. } => {
                format!("`{at}` describes `{name}`: name that one, and run `{command}`")
            }
            Self::NotBuilt { command: Some((_, command)), .. } | Self::ZipNotBuilt { command, .. } => {
                format!("run `{command}`")
            }
            Self::TwoOutputs { .. } => "name with `classes` the one that counts".into(),
            Self::NoSources { .. } => "name with `sources` the folders of the sources".into(),
            Self::NoSourceFolder { .. } => "run what generates it, or remove it from `sources`".into(),
            Self::OutputWithin { .. } => "choose a folder outside of it with `-o`".into(),
            Self::NoProbe { .. } => {
                "patterns are relative to the folder of the description or to that of the compiled classes, such as \
                 `acme/probes/*.class`; `**` stands for any folders"
                    .into()
            }
            Self::Compiler { hint, .. } => (*hint).into(),
            Self::NothingOffered { .. } => {
                "annotate the interface that probes use with `@ServiceDescriptor`, or list it with `services`".into()
            }
            Self::NotAService { .. } => "services are public interfaces that are not nested".into(),
            Self::OldMarker { .. } => {
                "use `io.btrace.core.extensions.ServiceDescriptor` or `ExtensionDescriptor` and compile again".into()
            }
            Self::TwoDescriptors { .. } => "keep one of them".into(),
            Self::Disagree { .. } => "keep the value in one place, or write the same one twice".into(),
            Self::ExcludedExport { .. } => "keep the class, or the one that it is nested in, in one of the two".into(),
            Self::Leak { type_name, place, .. } if place == "its code" => format!(
                "API classes lie on the bootstrap path: move that code into the implementation, or export `{type_name}` with \
                 `exports` if it is the extension's own"
            ),
            Self::Leak { .. } => {
                "show only types of the JDK and of the extension itself; what others bring stays in the implementation".into()
            }
            Self::Leaks { first, .. } => first.hint(),
            Self::VersionedApi { .. } => {
                "the bootstrap loader has one class of a name for all versions: keep one, and tell the versions apart at run time"
                    .into()
            }
            Self::OutOfReach { .. } => {
                "API and implementation have different class loaders, so that a package is not one at run time: make it public".into()
            }
            Self::ForeignPackage { .. } => {
                "move the API to a package of its own: on the bootstrap path it would hide the other one's classes".into()
            }
            Self::PrivilegedApi { .. } => {
                "API classes lie on the bootstrap path, where no policy applies: move that code into the implementation".into()
            }
            Self::UnusedShade { .. } => "correct the package, or remove the rule".into(),
            Self::NotAConfigurator { .. } => {
                "it implements `io.btrace.core.extensions.ExtensionConfigurator` and has a public constructor without parameters"
                    .into()
            }
            Self::NotALibrary { .. } => "`native` is for ELF, Mach-O and PE libraries; other files belong to the resources".into(),
            Self::DescribedTwice { .. } => "keep one of the two files".into(),
            Self::Checksums { .. } => "the zip was changed after it was built: get or build it again".into(),
        }
    }
}
