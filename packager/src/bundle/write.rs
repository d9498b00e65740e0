//! Writes the two jars and the zip of an extension.

use crate::extension::ExtensionError;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use manifests::index::ClassIndex;
use manifests::manifest::{Manifest, attribute};

use crate::archive::{Archive, Limits};
use crate::assemble::{self, Content, EntryTime, Layout, Written};
use crate::class::dotted;
use crate::error::{Error, Result};
use crate::extension::{CHECKSUMS, EXPORTS, Extension, copy, papers};
use crate::origin::Origin;
use crate::paths;
use crate::printer::Printer;

/// The names of what is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileNames {
    /// The API jar.
    pub(crate) api: String,
    /// The implementation jar.
    pub(crate) implementation: String,
    /// The zip with both.
    pub(crate) zip: String,
}

impl FileNames {
    /// Those of an extension.
    pub(crate) fn of(id: &str, version: &str) -> Self {
        Self {
            api: format!("{id}-{version}-api.jar"),
            implementation: format!("{id}-{version}-impl.jar"),
            zip: format!("{id}-{version}-extension.zip"),
        }
    }
}

/// What was written.
#[derive(Debug)]
pub struct Files {
    /// The API jar.
    pub api: Written,
    /// The implementation jar.
    pub implementation: Written,
    /// The zip with both.
    pub zip: Written,
}

/// Writes all three into `folder`, and reads the zip back. The result is the extension as every reader sees it.
///
/// # Errors
/// A file cannot be read or written, or the zip does not pass as an extension.
pub(super) fn write(
    extension: &Extension,
    folder: &Path,
    time: EntryTime,
    limits: Limits,
    printer: &Printer,
) -> Result<(Files, Extension)> {
    let names = FileNames::of(extension.id(), &extension.metadata.version);
    let mut index = ClassIndex::default();
    let api = api_layout(extension, &names, &mut index)?;
    let implementation = implementation_layout(extension, &names, &mut index)?;
    let manifest = api_manifest(extension, &names)?.to_bytes();
    let api = assemble::write_jar(&folder.join(&names.api), &manifest, &api, time, printer, |_| Ok(()))?;
    let manifest = implementation_manifest(extension, &implementation)?.to_bytes();
    let path = folder.join(&names.implementation);
    let implementation = assemble::write_jar(&path, &manifest, &implementation, time, printer, |_| Ok(()))?;

    let zip = zip_layout(extension, &[&api, &implementation], &index)?;
    let mut read = None;
    let zip = assemble::write_zip(&folder.join(&names.zip), &zip, time, printer, |path| {
        // In memory, since the file is about to be renamed, and other messages name the extension's own folder.
        let label = extension.source.join(&names.zip);
        let archive = Archive::from_memory(label, fs_err::read(path)?, limits)?;
        read = Some(Extension::from_archive(&archive, &extension.source, limits)?);
        Ok(())
    })?;
    let Some(read) = read else {
        return Err(ExtensionError::NotAnExtension { path: zip.path, reason: "it was not read back".into() }.into());
    };
    Ok((Files { api, implementation, zip }, read))
}

fn generated(extension: &Extension) -> Origin {
    Origin::Generated(format!("for extension `{}`", extension.id()))
}

fn index_error(origin: &Origin, source: manifests::Error) -> Error {
    Error::Format { origin: Box::new(origin.clone()), source: Box::new(source) }
}

fn api_layout(extension: &Extension, names: &FileNames, index: &mut ClassIndex) -> Result<Layout> {
    let mut layout = Layout::plain();
    let mut exports = String::new();
    for class in &extension.api {
        let path = format!("{}{}", class.class.name, paths::CLASS_SUFFIX);
        let name = dotted(&class.class.name);
        index
            .insert(&name, &format!("{}!/{path}", names.api), *class.sha256.as_bytes())
            .map_err(|source| index_error(&class.origin, source))?;
        layout.add(path, class.content.clone(), class.origin.clone())?;
    }
    // Sorted whatever the order in which files were read.
    let mut classes: Vec<String> = extension.api.iter().map(|class| dotted(&class.class.name)).collect();
    classes.sort();
    for class in classes {
        let _infallible = writeln!(exports, "{class}");
    }
    layout.add(EXPORTS, Content::Bytes(exports.into_bytes()), generated(extension))?;
    Ok(layout)
}

fn implementation_layout(extension: &Extension, names: &FileNames, index: &mut ClassIndex) -> Result<Layout> {
    let mut layout = Layout::plain();
    for class in &extension.implementation {
        let path = format!("{}{}", class.class.name, paths::CLASS_SUFFIX);
        index
            .insert(&dotted(&class.class.name), &format!("{}!/{path}", names.implementation), *class.sha256.as_bytes())
            .map_err(|source| index_error(&class.origin, source))?;
        layout.add(path, class.content.clone(), class.origin.clone())?;
    }
    for resource in &extension.resources {
        if let Some(class) = copy(extension, resource)? {
            let path = format!("{}!/{}", names.implementation, resource.path);
            index
                .insert(&class.key, &path, *class.sha256.as_bytes())
                .map_err(|source| index_error(&resource.origin, source))?;
        }
        layout.add(resource.path.as_str(), resource.content.clone(), resource.origin.clone())?;
    }
    for probe in &extension.probes {
        let path = format!("{}{}{}", paths::PROBES, probe.class.name, paths::CLASS_SUFFIX);
        layout.add(path, probe.content.clone(), probe.origin.clone())?;
    }
    Ok(layout)
}

fn api_manifest(extension: &Extension, names: &FileNames) -> Result<Manifest> {
    let mut manifest = Manifest::default();
    manifest.main.set(attribute::MANIFEST_VERSION, "1.0")?;
    let mut metadata = extension.metadata.clone();
    metadata.implementation = Some(names.implementation.clone());
    metadata.write_to(&mut manifest.main).map_err(|source| index_error(&generated(extension), source))?;
    Ok(manifest)
}

fn implementation_manifest(extension: &Extension, layout: &Layout) -> Result<Manifest> {
    let mut manifest = Manifest::default();
    let main = &mut manifest.main;
    main.set(attribute::MANIFEST_VERSION, "1.0")?;
    main.set(attribute::IMPLEMENTATION_TITLE, extension.id())?;
    main.set(attribute::IMPLEMENTATION_VERSION, &extension.metadata.version)?;
    let is_copy = |path: &str| path.starts_with("META-INF/versions/") && path.ends_with(paths::CLASS_SUFFIX);
    if layout.iter().any(|(path, _)| is_copy(path)) {
        main.set(attribute::MULTI_RELEASE, "true")?;
    }
    Ok(manifest)
}

/// The zip: both jars, what describes them, and the SHA-256 of each file in the form of `sha256sum`.
fn zip_layout(extension: &Extension, jars: &[&Written], index: &ClassIndex) -> Result<Layout> {
    let mut layout = Layout::plain();
    for jar in jars {
        let name = jar.path.file_name().map(PathBuf::from).unwrap_or_default().display().to_string();
        layout.add(name, Content::File(jar.path.clone()), Origin::File(jar.path.clone()))?;
    }
    // The project's own licence and readme.
    for entry in fs_err::read_dir(paths::or_current(&extension.source))? {
        let entry = entry?;
        if let (Ok(name), true) = (entry.file_name().into_string(), entry.path().is_file())
            && papers::is_paper(&name)
        {
            layout.add(name, Content::File(entry.path()), Origin::File(entry.path()))?;
        }
    }
    let properties = extension.metadata.to_properties().to_bytes();
    for (name, bytes) in [(paths::EXTENSION_PROPERTIES, properties), (paths::CLASSES_INDEX, index.to_bytes())] {
        layout.add(name, Content::Bytes(bytes), generated(extension))?;
    }
    let mut sums = String::new();
    for file in layout.hash()? {
        let _infallible = writeln!(sums, "{}  {}", file.sha256, file.path);
    }
    layout.add(CHECKSUMS, Content::Bytes(sums.into_bytes()), generated(extension))?;
    Ok(layout)
}
