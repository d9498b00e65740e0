//! Extensions as they go into an agent: description, API classes, implementation classes and resources, all checked.

mod about;
pub(crate) mod check;
mod checksums;
mod error;
mod folder;
mod legacy;
pub(crate) mod papers;
pub(crate) mod permissions;
pub(crate) mod pieces;
pub(crate) mod project;
mod relocate;
mod zip;

use std::path::{Path, PathBuf};

use manifests::extension::ExtensionMetadata;
use manifests::index::ClassIndex;
use manifests::manifest::Manifest;

use crate::archive::{Archive, Limits};
use crate::assemble::{Content, Layout};
use crate::class::{Class, dotted};
use crate::digest::Sha256Hex;
use crate::error::{Error, Result};
use crate::origin::Origin;
use crate::paths;

pub(crate) use about::{About, copy};
pub(crate) use check::{provider_names, providers};
pub(crate) use checksums::FILE as CHECKSUMS;
pub use error::ExtensionError;
pub(crate) use folder::{EXPORTS, carries_manifest, id_of};
pub(crate) use legacy::{FILES as LEGACY, Legacy, parse as parse_legacy};
pub(crate) use relocate::{Fixed, relocate, with_id};

/// A class of an extension.
#[derive(Debug)]
pub(crate) struct ExtensionClass {
    /// What the packager knows of it.
    pub(crate) class: Class,
    /// Where its bytes are.
    pub(crate) content: Content,
    /// Where it comes from.
    pub(crate) origin: Origin,
    /// SHA-256 of its bytes.
    pub(crate) sha256: Sha256Hex,
}

/// A file of an extension that is no class of it.
#[derive(Debug)]
pub(crate) struct Resource {
    /// Path in its jar or folder.
    pub(crate) path: String,
    /// Where its bytes are.
    pub(crate) content: Content,
    /// Where it comes from.
    pub(crate) origin: Origin,
}

/// An extension, ready to be embedded.
#[derive(Debug)]
pub(crate) struct Extension {
    /// Its description.
    pub(crate) metadata: ExtensionMetadata,
    /// The zip or folder it comes from.
    pub(crate) source: PathBuf,
    /// Classes that the bootstrap loader will see.
    pub(crate) api: Vec<ExtensionClass>,
    /// Classes that only the extension's own loader will see.
    pub(crate) implementation: Vec<ExtensionClass>,
    /// Other files of the implementation.
    pub(crate) resources: Vec<Resource>,
    /// What the implementation says of its packages.
    pub(crate) about: About,
    /// Probe classes that it brings.
    pub(crate) probes: Vec<ExtensionClass>,
    /// What the user should know, such as files that are left out.
    pub(crate) notes: Vec<String>,
}

impl Extension {
    /// Reads an extension zip.
    ///
    /// # Errors
    /// The zip is unreadable, is not laid out as an extension, or breaks one of the rules of [`check`].
    pub(crate) fn from_zip(path: &Path, limits: Limits) -> Result<Self> {
        zip::read(path, limits)
    }

    /// Reads the extension in an open zip, which comes from `source`.
    ///
    /// # Errors
    /// As [`Extension::from_zip`].
    pub(crate) fn from_archive(archive: &Archive, source: &Path, limits: Limits) -> Result<Self> {
        zip::of_archive(archive, source, limits)
    }

    /// Reads a folder of compiled classes with its manifest.
    ///
    /// # Errors
    /// As [`Extension::from_zip`].
    pub(crate) fn from_folder(path: &Path, limits: Limits) -> Result<Self> {
        folder::read(path, limits)
    }

    /// The extension's id.
    pub(crate) fn id(&self) -> &str {
        &self.metadata.id
    }

    /// Adds everything to the output: the API at the root, the rest in the extension's own folder.
    ///
    /// # Errors
    /// Another file is at one of the paths.
    pub(crate) fn add_to(&self, layout: &mut Layout) -> Result<()> {
        let folder = format!("{}{}/", paths::EXTENSIONS, self.id());
        for class in &self.api {
            layout.add(format!("{}.class", class.class.name), class.content.clone(), class.origin.clone())?;
        }
        let mut index = ClassIndex::default();
        for class in &self.implementation {
            let path = format!("{folder}classes/{}{}", class.class.name, paths::MASKED_SUFFIX);
            index
                .insert(&dotted(&class.class.name), &path, *class.sha256.as_bytes())
                .map_err(|source| Error::Format { origin: Box::new(class.origin.clone()), source: Box::new(source) })?;
            layout.add(path, class.content.clone(), class.origin.clone())?;
        }
        for resource in &self.resources {
            let (path, content) = (&resource.path, resource.content.clone());
            let path = if let Some(class) = copy(self, resource)? {
                let path = format!("{folder}classes/{}{}", class.stem, paths::MASKED_SUFFIX);
                index.insert(&class.key, &path, *class.sha256.as_bytes()).map_err(|source| Error::Format {
                    origin: Box::new(resource.origin.clone()),
                    source: Box::new(source),
                })?;
                path
            } else {
                format!("{folder}resources/{path}")
            };
            layout.add(path, content, resource.origin.clone())?;
        }
        for probe in &self.probes {
            let path = format!("{}{}.class", paths::PROBES, probe.class.name);
            layout.add(path, probe.content.clone(), probe.origin.clone())?;
        }
        let generated = || Origin::Generated(format!("for extension `{}`", self.id()));
        if let Some(bytes) = self.about.to_bytes() {
            layout.add(format!("{folder}resources/{}", paths::MANIFEST), Content::Bytes(bytes), generated())?;
        }
        let properties = self.metadata.to_properties().to_bytes();
        layout.add(format!("{folder}{}", paths::EXTENSION_PROPERTIES), Content::Bytes(properties), generated())?;
        layout.add(format!("{folder}{}", paths::CLASSES_INDEX), Content::Bytes(index.to_bytes()), generated())
    }
}

/// Reads the description in a manifest's main attributes, which `origin` is the place of.
fn describe(manifest: &Manifest, origin: &Origin) -> Result<Option<ExtensionMetadata>> {
    ExtensionMetadata::from_attributes(&manifest.main).map_err(|source| format_error(origin, source))
}

fn format_error(origin: &Origin, source: manifests::Error) -> Error {
    Error::Format { origin: Box::new(origin.clone()), source: Box::new(source) }
}

#[cfg(test)]
mod tests;
