//! Precompiled probes that `[probes] include` names.

use std::path::{Path, PathBuf};

use crate::assemble::{Content, Layout};
use crate::class::{Class, dotted};
use crate::error::{Error, Result};
use crate::origin::Origin;
use crate::paths;

/// Descriptor of the annotation that makes a class a probe.
pub(crate) const ANNOTATION: &str = "Lio/btrace/core/annotations/BTrace;";

/// A probe class.
#[derive(Debug)]
pub(crate) struct Probe {
    /// Its file.
    pub(crate) path: PathBuf,
    /// Its internal name.
    pub(crate) name: String,
}

impl Probe {
    /// Reads a probe class.
    ///
    /// # Errors
    /// The file is a source, is no class file, or holds a class that is no probe.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let origin = Origin::File(path.to_owned());
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("class") => {}
            Some("java") => return Err(Error::SourceProbe { path: path.to_owned() }),
            _ => return Err(not(&origin, "its name does not end with `.class`".into())),
        }
        let class = Class::read(&fs_err::read(path)?, &origin)?;
        if !class.annotations.iter().any(|annotation| annotation == ANNOTATION) {
            return Err(unmarked(&origin, &class));
        }
        Ok(Self { path: path.to_owned(), name: class.name })
    }

    /// Adds the probe to the output.
    ///
    /// # Errors
    /// Another probe has the same name.
    pub(crate) fn add_to(&self, layout: &mut Layout) -> Result<()> {
        let path = format!("{}{}.class", paths::PROBES, self.name);
        layout.add(path, Content::File(self.path.clone()), Origin::File(self.path.clone()))
    }
}

/// The error for a class that lacks the annotation.
pub(crate) fn unmarked(origin: &Origin, class: &Class) -> Error {
    not(origin, format!("`{}` has no `@BTrace`", dotted(&class.name)))
}

fn not(origin: &Origin, reason: String) -> Error {
    Error::NotAProbe { origin: Box::new(origin.clone()), reason }
}
