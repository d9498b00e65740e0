//! Hands extensions to their loaders: who offers a service, the bytes of its classes and files, and what stands in for it.

pub(crate) mod api;
pub(crate) mod configurators;
mod contents;
pub(crate) mod eager;
mod library;
pub(crate) mod natives;
mod packages;
mod preload;

use crate::jar::Jar;
use crate::state::Core;
use contents::{Contents, Problem};
use extensions::Watch;
use jvm::Jvmti;
use manifests::properties::Properties;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// Where an extension names the stand-ins that it brings.
const SHIMS: &str = "META-INF/btrace/shims.index";

/// What is open of the extensions that are in use.
#[derive(Default)]
pub(crate) struct Linking {
    open: Mutex<HashMap<String, Arc<Contents>>>,
    /// Files whose API is in the bootstrap loader.
    defined: Mutex<HashSet<PathBuf>>,
    /// The files of extensions as they were when their API was read.
    watched: Mutex<HashMap<String, Watch>>,
    /// Extensions that could not be loaded at start-up, and why.
    failed: Mutex<HashMap<String, String>>,
    /// Whether it was decided about loading at start-up.
    is_decided: AtomicBool,
}

impl Linking {
    /// What is open of an extension that is known.
    fn contents(&self, core: &Core, id: &str) -> io::Result<Arc<Contents>> {
        // May ask Java, and so come back here: nothing is locked yet.
        let resolved = core.extensions.resolved(core);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(contents) = open.get(id) {
            return Ok(Arc::clone(contents));
        }
        let extension = resolved.by_id(id).ok_or_else(|| io::Error::other(format!("there is no extension {id}")))?;
        let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.get(id).is_some_and(|before| *before != extension.files.watch()) {
            // Its API stays in the bootstrap loader as it was, and the other half may no longer fit.
            return Err(io::Error::other(format!(
                "{} was changed after its API had been loaded; hint: start the JVM again to use what is there now",
                extension.files.path().display()
            )));
        }
        drop(watched);
        let contents = Arc::new(Contents::open(&core.jar, extension, release(core.jvmti))?);
        open.insert(id.to_owned(), Arc::clone(&contents));
        Ok(contents)
    }

    /// Why an extension could not be loaded at start-up; nothing where it was, or was not tried.
    pub(crate) fn failure(&self, id: &str) -> Option<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Closes the files of an extension; what asks for it later opens them again.
    fn close(&self, id: &str) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}

/// The running Java: 8, 11, 17 …
fn release(jvmti: Jvmti) -> u32 {
    let version = jvmti.system_property(c"java.vm.specification.version").unwrap_or_default();
    version.strip_prefix("1.").unwrap_or(&version).parse().unwrap_or(8)
}

/// The class that implements a service: the first one in its descriptor, else `<Service>Impl`.
fn provider(contents: &Contents, jar: &Jar, service: &str) -> io::Result<Option<String>> {
    let descriptor = contents.resource(jar, &format!("META-INF/services/{service}"))?.unwrap_or_default();
    let text = String::from_utf8_lossy(&descriptor);
    let named =
        text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).find(|name| !name.is_empty());
    if let Some(name) = named {
        return Ok(Some(name.to_owned()));
    }
    let name = format!("{service}Impl");
    Ok(contents.has_class(&name).then_some(name))
}

/// The classes that an extension brings as stand-ins for a service: one that does nothing, one that throws.
fn shims(contents: &Contents, jar: &Jar, service: &str) -> io::Result<Option<(String, String)>> {
    let Some(bytes) = contents.resource(jar, SHIMS)? else { return Ok(None) };
    let index = Properties::parse(&bytes).map_err(io::Error::other)?;
    let Some(pair) = index.get(service) else { return Ok(None) };
    let (nothing, throwing) = pair
        .split_once(',')
        .ok_or_else(|| io::Error::other(format!("{service} has `{pair}` instead of two classes")))?;
    Ok(Some((nothing.trim().to_owned(), throwing.trim().to_owned())))
}
