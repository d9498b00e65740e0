//! What the manifest of an implementation says that holds inside an agent too, and the classes that it has for newer Java.

use manifests::manifest::{Manifest, attribute};

use super::Extension;
use crate::class::dotted;
use crate::digest::Sha256Hex;
use crate::error::Result;
use crate::paths;

/// Folder of what is for newer Java versions.
pub(crate) const VERSIONS: &str = "META-INF/versions/";

/// Main attributes that say how a jar was made or what it is started or found by; and all of `BTrace-…`, which the
/// description holds.
const NOT_CARRIED: [&str; 8] = [
    "Created-By",
    "Build-Jdk",
    "Build-Jdk-Spec",
    "Signature-Version",
    attribute::CLASS_PATH,
    attribute::MAIN_CLASS,
    attribute::PREMAIN_CLASS,
    attribute::AGENT_CLASS,
];

/// The manifest of an implementation, without what no longer holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct About(Manifest);

impl About {
    /// Takes the manifest of a jar or folder.
    pub(crate) fn new(mut manifest: Manifest) -> Self {
        manifest.remove_digests();
        let dropped = |name: &str| {
            NOT_CARRIED.iter().any(|known| name.eq_ignore_ascii_case(known)) || starts_with(name, "BTrace-")
        };
        let names: Vec<String> =
            manifest.main.iter().map(|(name, _)| name).filter(|name| dropped(name)).map(str::to_owned).collect();
        for name in names {
            manifest.main.remove(&name);
        }
        Self(manifest)
    }

    /// Of an implementation that is being built: its copies for newer Java versions count.
    pub(crate) fn multi_release() -> Result<Self> {
        let mut manifest = Manifest::default();
        manifest.main.set(attribute::MULTI_RELEASE, "true")?;
        Ok(Self(manifest))
    }

    /// Whether copies for newer Java versions count.
    pub(crate) fn is_multi_release(&self) -> bool {
        self.0.main.get(attribute::MULTI_RELEASE).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The file; nothing where it would say nothing.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        let says = |(name, _): (&str, &str)| !name.eq_ignore_ascii_case(attribute::MANIFEST_VERSION);
        (self.0.main.iter().any(says) || !self.0.sections().is_empty()).then(|| self.0.to_bytes())
    }

    /// Moves the packages that it speaks of; `moved` tells the new path of a file.
    pub(crate) fn relocate(&mut self, moved: impl Fn(&str) -> Option<String>) -> Result<(), manifests::Error> {
        const FILE: &str = "package-info.class";
        let sections = self.0.sections().to_vec();
        self.0.retain_sections(|_, _| false);
        for (name, attributes) in sections {
            let path = if name.ends_with('/') { format!("{name}{FILE}") } else { name.clone() };
            let new = moved(&path).map(|path| path.strip_suffix(FILE).unwrap_or(&path).to_owned());
            self.0.add_section(new.as_deref().unwrap_or(&name), attributes)?;
        }
        Ok(())
    }
}

fn starts_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// A class that counts on newer Java versions.
pub(crate) struct Copy {
    /// As in an index: `META-INF/versions/11/a.B`.
    pub(crate) key: String,
    /// `META-INF/versions/11/a/B`.
    pub(crate) stem: String,
    /// Of its bytes.
    pub(crate) sha256: Sha256Hex,
}

/// The class among its resources that is at `path`, if it counts.
pub(crate) fn copy(extension: &Extension, resource: &super::Resource) -> Result<Option<Copy>> {
    let stem = resource.path.strip_suffix(paths::CLASS_SUFFIX).filter(|_| extension.about.is_multi_release());
    let named = stem.and_then(|stem| Some((stem, stem.strip_prefix(VERSIONS)?.split_once('/')?)));
    let Some((stem, (release, name))) = named else { return Ok(None) };
    if release.parse::<u32>().is_err() || name.starts_with(paths::META_INF) || name.ends_with("module-info") {
        return Ok(None);
    }
    let sha256 = Sha256Hex::of(&resource.content.read()?);
    Ok(Some(Copy { key: format!("{VERSIONS}{release}/{}", dotted(name)), stem: stem.to_owned(), sha256 }))
}
