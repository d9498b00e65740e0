//! One extension in its files: two jars in a folder, the zip with both, one jar, or a folder of an agent jar.

use std::borrow::Cow;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use manifests::Error as FormatError;
use manifests::extension::ExtensionMetadata;
use manifests::manifest::{Attributes, attribute};
use manifests::properties::Properties;

use crate::Error;
use crate::cache::Watch;
use crate::jar::{self, Container, Jar};
use crate::signature;

/// Folder of the embedded extensions of a jar.
pub(crate) const EMBEDDED: &str = "META-INF/btrace-extensions/";
/// Description of an embedded extension below its folder, of others beside their jars.
pub(crate) const PROPERTIES: &str = "extension.properties";
/// What descriptions used to be.
const LEGACY: [&str; 2] = ["META-INF/btrace-extension.properties", "btrace-extension.properties"];
const API_JAR: &str = "-api.jar";
const IMPL_JAR: &str = "-impl.jar";

/// Where the code of an extension is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// In a folder of an agent jar; its API is already where the bootstrap loader sees it.
    Embedded {
        /// The jar.
        jar: PathBuf,
    },
    /// In two jars.
    Pair {
        /// The API.
        api: PathBuf,
        /// Everything else.
        implementation: PathBuf,
    },
    /// In two jars at the root of a zip.
    Zip {
        /// The zip.
        zip: PathBuf,
        /// Name of the entry with the API.
        api: String,
        /// Name of the entry with everything else.
        implementation: String,
    },
    /// API and everything else in one jar.
    Flat {
        /// The jar.
        jar: PathBuf,
    },
}

impl Files {
    /// What stands for the extension in messages.
    pub fn path(&self) -> &Path {
        match self {
            Self::Embedded { jar } | Self::Flat { jar } => jar,
            Self::Pair { api, .. } => api,
            Self::Zip { zip, .. } => zip,
        }
    }

    /// The state of all files that its classes come from, as it is now.
    pub fn watch(&self) -> Watch {
        let implementation = match self {
            Self::Pair { implementation, .. } => Some(implementation.as_path()),
            _ => None,
        };
        Watch::of_contents(std::iter::once(self.path()).chain(implementation))
    }
}

/// An extension as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// What it says about itself; where its implementation is, only `files` says.
    pub metadata: ExtensionMetadata,
    /// Where its code is.
    pub files: Files,
    /// Why its permissions cannot be read, with the text.
    pub unreadable: Option<(FormatError, String)>,
    /// Whether its description is of the old form, which cannot declare permissions.
    pub legacy: bool,
    /// Why the signature of its jars does not hold.
    pub signature: Option<String>,
}

/// What the old form of the description asks for.
pub(crate) fn legacy_report(bundle: &Bundle) -> Option<String> {
    bundle.legacy.then(|| {
        format!(
            "{} describes the extension `{}` by btrace-extension.properties, which is deprecated and declares no permissions; \
             hint: build it again with `fatagent extension build`",
            bundle.files.path().display(),
            bundle.metadata.id
        )
    })
}

/// A description and, apart from it, permissions that it could not take.
pub(crate) type Described = (ExtensionMetadata, Option<(FormatError, String)>);

/// Reads the properties of an embedded or cached extension. Permissions that cannot be read do not keep the rest from being.
pub(crate) fn of_properties(properties: &Properties, folder: &str) -> Result<Described, FormatError> {
    match ExtensionMetadata::from_properties(properties, folder) {
        Err(error @ FormatError::UnknownPermission { .. }) => {
            let mut rest = properties.clone();
            let text = rest.remove("permissions").unwrap_or_default();
            // A reason for a permission that does not exist says nothing.
            let reasons: Vec<String> = rest.iter().map(|(key, _)| key.to_owned()).collect();
            for key in reasons.iter().filter(|key| key.starts_with("permission.")) {
                rest.remove(key);
            }
            Ok((ExtensionMetadata::from_properties(&rest, folder)?, Some((error, text))))
        }
        other => other.map(|metadata| (metadata, None)),
    }
}

fn of_attributes(attributes: &Attributes) -> Result<Option<Described>, FormatError> {
    match ExtensionMetadata::from_attributes(attributes) {
        Err(error @ FormatError::UnknownPermission { .. }) => {
            let mut rest = attributes.clone();
            let text = rest.remove(attribute::BTRACE_EXTENSION_PERMISSIONS).unwrap_or_default();
            Ok(ExtensionMetadata::from_attributes(&rest)?.map(|metadata| (metadata, Some((error, text)))))
        }
        other => Ok(other?.map(|metadata| (metadata, None))),
    }
}

/// Extensions that a jar embeds, each with its id or what is wrong with it.
pub(crate) fn embedded(container: &dyn Container) -> Vec<Result<Bundle, Error>> {
    let listed = container.attribute(attribute::BTRACE_EMBEDDED_EXTENSIONS).unwrap_or_default();
    let ids = listed.split(',').map(str::trim).filter(|id| !id.is_empty());
    ids.map(|id| one_embedded(container, id)).collect()
}

fn one_embedded(container: &dyn Container, id: &str) -> Result<Bundle, Error> {
    let name = format!("{EMBEDDED}{id}/{PROPERTIES}");
    let origin = format!("{}!/{name}", container.path().display());
    let malformed = |source| Error::Format { origin: origin.clone(), source: Box::new(source) };
    manifests::extension::check_id(id).map_err(malformed)?;
    let bytes = container.entry(&name)?.ok_or_else(|| Error::NotAnExtension {
        origin: origin.clone(),
        reason: "the manifest lists it, but there is no such entry".to_owned(),
    })?;
    let properties = Properties::parse(&bytes).map_err(malformed)?;
    let (metadata, unreadable) = of_properties(&properties, id).map_err(malformed)?;
    let files = Files::Embedded { jar: container.path().to_owned() };
    Ok(Bundle { metadata, files, unreadable, legacy: false, signature: None })
}

/// What the jar of an extension says.
struct Content {
    described: Described,
    legacy: bool,
    signature: Option<String>,
}

/// What a jar says of the extension whose API it has; nothing where it is something else.
fn content<R: Read + Seek>(jar: &mut Jar<R>) -> Result<Option<Content>, Error> {
    let manifest = jar.manifest()?;
    let described = of_attributes(&manifest.main).map_err(|source| jar.malformed("META-INF/MANIFEST.MF", source))?;
    if let Some(described) = described {
        return Ok(Some(Content { described, legacy: false, signature: signature::problem(jar)? }));
    }
    for name in LEGACY {
        let Some(bytes) = jar.text(name)? else { continue };
        let parsed = Properties::parse(&bytes).and_then(|p| ExtensionMetadata::from_legacy_properties(&p));
        let metadata = parsed.map_err(|source| jar.malformed(name, source))?;
        return Ok(Some(Content { described: (metadata, None), legacy: true, signature: signature::problem(jar)? }));
    }
    Ok(None)
}

/// Reads the zip of an extension.
pub(crate) fn of_zip(path: &Path) -> Result<Bundle, Error> {
    let mut zip = jar::open(path)?;
    let not = |reason: String| Error::NotAnExtension { origin: path.display().to_string(), reason };
    let names: Vec<String> = zip.names().map(Cow::into_owned).collect();
    let only = |suffix: &str| -> Result<String, Error> {
        let mut found = names.iter().filter(|name| name.ends_with(suffix) && !name.contains('/'));
        match (found.next(), found.next()) {
            (Some(name), None) => Ok(name.clone()),
            (None, _) => Err(not(format!("it has no `*{suffix}` at its root"))),
            (Some(_), Some(_)) => Err(not(format!("it has more than one `*{suffix}` at its root"))),
        }
    };
    let api = only(API_JAR)?;
    let mut nested = zip.nested(&api)?.ok_or_else(|| not(format!("it has no `{api}`")))?;
    let Some(Content { described, legacy, mut signature }) = content(&mut nested)? else {
        return Err(not(format!("`BTrace-Extension-Id` is absent from the manifest of `{api}`")));
    };
    let (mut metadata, unreadable) = described;
    let implementation = match &metadata.implementation.take() {
        Some(name) if names.contains(name) => name.clone(),
        Some(name) => return Err(not(format!("it has no `{name}`, which the manifest of `{api}` names"))),
        None => only(IMPL_JAR)?,
    };
    if let Some(bytes) = zip.text(PROPERTIES)? {
        complete(&mut metadata, &bytes).map_err(|source| zip.malformed(PROPERTIES, source))?;
    }
    if signature.is_none() && nested.names().any(|name| signature::is_signature_file(&name)) {
        // Whoever signs the API signs the rest, too; where nothing is signed, nothing is inflated.
        signature = zip.nested(&implementation)?.map(|mut jar| signature::problem(&mut jar)).transpose()?.flatten();
    }
    let files = Files::Zip { zip: path.to_owned(), api, implementation };
    Ok(Bundle { metadata, files, unreadable, legacy, signature })
}

/// Reads the extensions in jars of one folder, each with the files that it depends on. Jars are sorted.
pub(crate) fn of_jars(folder: &Path, jars: &[PathBuf]) -> Vec<Result<Bundle, Error>> {
    let named = |jar: &Path, end: &str| jar.file_name().is_some_and(|name| name.to_string_lossy().ends_with(end));
    let mut found = Vec::new();
    let mut used: Vec<PathBuf> = Vec::new();
    let mut others = Vec::new();
    for path in jars.iter().filter(|path| !named(path, IMPL_JAR)) {
        match of_jar(folder, path, jars) {
            Ok(Some(bundle)) => {
                if let Files::Pair { implementation, .. } = &bundle.files {
                    used.push(implementation.clone());
                }
                found.push(Ok(bundle));
            }
            Ok(None) => others.push(path),
            Err(error) => found.push(Err(error)),
        }
    }
    let unused = jars.iter().filter(|path| named(path, IMPL_JAR) && !used.contains(path));
    for path in unused {
        // A name is no proof: it may be an extension in one jar.
        match of_jar(folder, path, &[]) {
            Ok(Some(bundle)) => found.push(Ok(bundle)),
            Ok(None) => others.push(path),
            Err(error) => found.push(Err(error)),
        }
    }
    for path in others.into_iter().filter(|path| !used.contains(path)) {
        found.push(Err(Error::NotAnExtension {
            origin: path.display().to_string(),
            reason: "its manifest has no `BTrace-Extension-Id`, and no extension names it as its implementation"
                .to_owned(),
        }));
    }
    found
}

fn of_jar(folder: &Path, path: &Path, jars: &[PathBuf]) -> Result<Option<Bundle>, Error> {
    let mut api = jar::open(path)?;
    let Some(Content { described, legacy, mut signature }) = content(&mut api)? else { return Ok(None) };
    let (mut metadata, unreadable) = described;
    let not = |reason: String| Error::NotAnExtension { origin: path.display().to_string(), reason };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let implementation = match (&metadata.implementation.take(), name.strip_suffix(API_JAR)) {
        (Some(name), _) => {
            let beside = folder.join(name);
            if !is_file_name(name) || !beside.is_file() {
                return Err(not(format!("`{name}`, which its manifest names as its implementation, is not beside it")));
            }
            Some(beside)
        }
        (None, Some(stem)) => {
            let twin = folder.join(format!("{stem}{IMPL_JAR}"));
            let mut candidates = jars.iter().filter(|jar| jar.to_string_lossy().ends_with(IMPL_JAR));
            let mut only = || candidates.next().filter(|_| candidates.next().is_none()).cloned();
            let found = if jars.contains(&twin) { Some(twin.clone()) } else { only() };
            Some(found.ok_or_else(|| not(format!("`{}`, its implementation, is not there", twin.display())))?)
        }
        (None, None) => None,
    };
    let properties = folder.join(PROPERTIES);
    // Where a zip was unpacked, its description lies beside the jars; it is nobody's where several extensions do.
    if implementation.is_some() && jars.iter().filter(|jar| jar.to_string_lossy().ends_with(API_JAR)).count() < 2 {
        match fs_err::read(&properties) {
            Ok(bytes) => complete(&mut metadata, &bytes).map_err(|source| Error::Format {
                origin: properties.display().to_string(),
                source: Box::new(source),
            })?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(e.into()),
        }
    }
    if let Some(implementation) = implementation.as_ref().filter(|_| signature.is_none())
        && api.names().any(|name| signature::is_signature_file(&name))
    {
        signature = signature::problem(&mut jar::open(implementation)?)?;
    }
    let files = match implementation {
        Some(implementation) => Files::Pair { api: path.to_owned(), implementation },
        None => Files::Flat { jar: path.to_owned() },
    };
    Ok(Some(Bundle { metadata, files, unreadable, legacy, signature }))
}

/// Whether a manifest may name it: a file beside the jar and nowhere else.
fn is_file_name(name: &str) -> bool {
    !name.contains(['/', '\\']) && !matches!(name, "" | "." | "..")
}

/// Fills in what a zip says beside its jars.
fn complete(metadata: &mut ExtensionMetadata, bytes: &[u8]) -> Result<(), FormatError> {
    let properties = Properties::parse(bytes)?;
    let (more, _) = of_properties(&properties, &metadata.id)?;
    metadata.complete(more);
    Ok(())
}
