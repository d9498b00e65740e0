//! The one core of this JVM.

use crate::extensions::Extensions;
use crate::jar::Jar;
use crate::linking::Linking;
use crate::output::Outputs;
use crate::weaving::ledger::Ledger;
use crate::weaving::pending::Pending;
use crate::weaving::sites::Sites;
use crate::weaving::supertypes::Supertypes;
use jvm::{Jvmti, Vm};
use probe::{Matcher, Probe};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// A probe that is active.
#[derive(Clone)]
pub(crate) struct Active {
    pub(crate) id: u32,
    pub(crate) probe: Arc<Probe>,
}

/// What changes under one lock: probes come and go one submission at a time.
#[derive(Default)]
pub(crate) struct Probes {
    pub(crate) active: Vec<Active>,
    /// The last number given; numbers are never used twice.
    pub(crate) last_id: u32,
    /// Whether capabilities were added and the linker class defined.
    pub(crate) armed: bool,
    /// Whether the capability to read constant pools was added.
    pub(crate) reads_constants: bool,
}

/// The running core.
pub(crate) struct Core {
    pub(crate) vm: Vm,
    pub(crate) jvmti: Jvmti,
    pub(crate) jar: Jar,
    pub(crate) linking: Linking,
    pub(crate) extensions: Extensions,
    pub(crate) probes: Mutex<Probes>,
    pub(crate) sites: Sites,
    pub(crate) supertypes: Supertypes,
    pub(crate) pending: Pending,
    pub(crate) ledger: Ledger,
    pub(crate) outputs: Outputs,
    /// Parameters of probes: names and values.
    pub(crate) parameters: Mutex<HashMap<u32, Vec<(String, String)>>>,
    /// Folder for woven classes, when asked for.
    pub(crate) dump: RwLock<Option<std::path::PathBuf>>,
    /// Whether each class that is retransformed is told.
    pub(crate) tracks: AtomicBool,
    matcher: RwLock<Arc<Matcher>>,
    reported: Mutex<HashSet<String>>,
}

static CORE: OnceLock<Core> = OnceLock::new();

impl Core {
    /// The running core, if one was started.
    pub(crate) fn get() -> Option<&'static Self> {
        CORE.get()
    }

    /// Makes the core; a second call keeps the first one's.
    pub(crate) fn init(vm: Vm, jar: Jar) -> Result<&'static Self, Box<dyn std::error::Error>> {
        if let Some(core) = CORE.get() {
            return Ok(core);
        }
        let core = Self {
            vm,
            jvmti: vm.jvmti()?,
            jar,
            linking: Linking::default(),
            extensions: Extensions::default(),
            probes: Mutex::default(),
            sites: Sites::default(),
            supertypes: Supertypes::default(),
            pending: Pending::default(),
            ledger: Ledger::default(),
            outputs: Outputs::default(),
            parameters: Mutex::default(),
            dump: RwLock::new(None),
            tracks: AtomicBool::new(false),
            matcher: RwLock::new(Arc::new(Matcher::new(Vec::new())?)),
            reported: Mutex::default(),
        };
        Ok(CORE.get_or_init(|| core))
    }

    /// What the load hook looks at.
    pub(crate) fn matcher(&self) -> Arc<Matcher> {
        Arc::clone(&self.matcher.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces what the load hook looks at.
    pub(crate) fn set_matcher(&self, matcher: Matcher) {
        *self.matcher.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(matcher);
    }

    /// Logs a line once, however often its cause comes back.
    pub(crate) fn report_once(&self, text: String) {
        self.report_once_of("", text);
    }

    /// Logs a line once, of which there may be many that differ only in what they speak of; a cause that is empty is the line.
    pub(crate) fn report_once_of(&self, cause: &str, text: String) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if !reported.contains(&text) {
            crate::log::line_of(if cause.is_empty() { &text } else { cause }, &text);
            reported.insert(text);
        }
    }
}
