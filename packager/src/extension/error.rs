//! What makes an extension unusable.

use std::path::PathBuf;

use crate::error::listed;
use crate::origin::Origin;

/// A rule for extensions that one breaks. [`ExtensionError::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtensionError {
    /// An extension's zip, jar or folder is not laid out as one.
    #[error("not an extension: `{}`: {reason}", path.display())]
    NotAnExtension {
        /// Its path.
        path: PathBuf,
        /// What is missing or too many.
        reason: String,
    },
    /// An extension does not say which permissions it needs.
    #[error("extension `{id}` declares no permissions: `BTrace-Extension-Permissions` is absent from {origin}")]
    NoPermissions {
        /// The extension.
        id: String,
        /// Its manifest.
        origin: Box<Origin>,
    },
    /// A service of an extension is not among its API classes.
    #[error("extension `{id}` has no class for its service: `{service}`")]
    NoServiceClass {
        /// The extension.
        id: String,
        /// Dotted class name.
        service: String,
        /// Whether the extension is built from its project just now.
        building: bool,
    },
    /// A service of an extension has no implementation.
    #[error("extension `{id}` has no implementation of its service: `{service}`")]
    NoImplementation {
        /// The extension.
        id: String,
        /// Dotted class name.
        service: String,
        /// The implementation that a service file names, or the one that the naming rule gives.
        expected: String,
    },
    /// A class that an extension declares is not there.
    #[error("extension `{id}` has no class that its {role} names: `{class}`")]
    NoDeclaredClass {
        /// The extension.
        id: String,
        /// What names it.
        role: &'static str,
        /// Dotted class name.
        class: String,
    },
    /// An API class refers to a class that stays hidden.
    #[error("API class `{class}` of extension `{id}` refers to an implementation class: `{hidden}`")]
    ApiNotClosed {
        /// The extension.
        id: String,
        /// The API class.
        class: String,
        /// The class that would be hidden from it.
        hidden: String,
        /// Whether the extension is built from its project just now.
        building: bool,
    },
    /// Two extensions have one id.
    #[error("two extensions have the id `{id}`: `{}`, and `{}`", first.display(), second.display())]
    DuplicateExtension {
        /// The id.
        id: String,
        /// Where the first one comes from.
        first: PathBuf,
        /// Where the other one comes from.
        second: PathBuf,
    },
    /// An id that no `[discover]` member has.
    #[error("no extension to embed has the id: `{id}`")]
    UnknownExtension {
        /// The id as given.
        id: String,
        /// Where it is given.
        from: &'static str,
        /// The nearest known id.
        nearest: Option<String>,
        /// All ids.
        known: Vec<String>,
    },
    /// An extension holds a class in a package that is not its own.
    #[error("extension `{id}` has a class in a reserved package: `{class}`")]
    ReservedPackage {
        /// The extension.
        id: String,
        /// Dotted class name.
        class: String,
    },
}

impl ExtensionError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NotAnExtension { .. } => {
                "an extension is a project with `extension.toml`, a zip with one `*-api.jar` and one `*-impl.jar`, or a folder of \
                 classes with `META-INF/MANIFEST.MF`"
                    .into()
            }
            Self::NoPermissions { .. } => {
                "add the attribute with the permissions that the code needs; an empty value declares none".into()
            }
            Self::DuplicateExtension { .. } => "embed one of them, or give one another id".into(),
            Self::NoServiceClass { building: true, .. } => {
                "compile the class along with the others, or correct `services` of the description".into()
            }
            Self::NoServiceClass { .. } => "put the class into the API, or correct `BTrace-Extension-Services`".into(),
            Self::NoImplementation { service, expected, .. } => {
                format!("add the class `{expected}`, or name another in `META-INF/services/{service}`")
            }
            Self::NoDeclaredClass { class, .. } => format!("add `{class}`, or correct the name"),
            Self::ApiNotClosed { hidden, building: true, .. } => format!("list it with `exports`: `{hidden}`"),
            Self::ApiNotClosed { hidden, .. } => {
                format!("export it with `BTrace-Extension-Exports: {hidden}` or in `META-INF/btrace/exports.index`")
            }
            Self::ReservedPackage { .. } => {
                "move it to a package of the extension: `java` and those of the agent are not yours to add to".into()
            }
            Self::UnknownExtension { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::UnknownExtension { known, .. } if known.is_empty() => {
                "`[discover] members` names no extension".into()
            }
            Self::UnknownExtension { known, .. } => format!("`[discover]` finds {}", listed(known)),
        }
    }
}
