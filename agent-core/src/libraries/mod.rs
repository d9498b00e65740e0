//! Jars outside the agent jar: what manifest, arguments and `-Dbtrace.system.appendJar` ask for goes on the JVM's search paths.

mod plan;

use crate::jar::Jar;
use crate::log;
use jvm::{Jvmti, Phase};
use manifests::arguments::AgentArguments;
use plan::{Asked, Hatch, Search, plan};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// What was done in this JVM by this library.
#[derive(Default)]
struct Done {
    appended: HashSet<(Search, PathBuf)>,
    told: HashSet<String>,
}

static DONE: Mutex<Option<Done>> = Mutex::new(None);

/// Appends what is not on its path yet. While the JVM is loading agents, only the bootstrap path can be added to without
/// changing the class path that the application sees; the rest comes with the next call.
///
/// A jar that cannot be used is logged, once, and skipped. Appending to the bootstrap path of a JVM that runs makes it warn
/// about its archive, so nothing is done where nothing is asked for.
pub(crate) fn append(jvmti: Jvmti, jar: &Jar, arguments: &AgentArguments) {
    let attributes = jar.libraries();
    let property = |name| jvmti.system_property(name).filter(|value| !value.trim().is_empty());
    let hatch = property(c"btrace.system.appendJar").map(|jar| Hatch {
        jar,
        any_place: property(c"btrace.allowExternalLibs").is_some_and(|value| value.trim().eq_ignore_ascii_case("true")),
    });
    if attributes.is_empty() && hatch.is_none() && !plan::ARGUMENTS.iter().any(|key| arguments.get(key).is_some()) {
        return;
    }
    let home = match arguments.get("btraceHome") {
        Some(home) => Some(home.into()),
        None => std::env::var_os("BTRACE_HOME"),
    };
    let asked = Asked {
        jar: jar.path(),
        attributes: &attributes,
        arguments,
        hatch: hatch.as_ref(),
        home: home.filter(|home| !home.is_empty()).map(PathBuf::from),
    };
    let plan = plan(&asked);
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let done = done.get_or_insert_with(Done::default);
    if let Some(refusal) = plan.refusal
        && done.told.insert(refusal.clone())
    {
        log::failure(&refusal);
    }
    for line in plan.lines {
        tell(done, line);
    }
    let is_loading = jvmti.phase().is_ok_and(|phase| phase == Phase::OnLoad);
    let on_path = jvmti.system_property(c"jdk.boot.class.path.append").unwrap_or_default();
    let known: HashSet<PathBuf> = on_path.split(':').filter_map(|jar| fs_err::canonicalize(jar).ok()).collect();
    for library in plan.libraries {
        let is_boot = library.search == Search::Boot;
        if is_loading && !is_boot || is_boot && known.contains(&library.real) {
            continue;
        }
        if !done.appended.insert((library.search, library.real)) {
            continue;
        }
        let path = library.path.to_string_lossy();
        let result = if is_boot { jvmti.append_to_bootstrap(&path) } else { jvmti.append_to_system(&path) };
        match result {
            Ok(()) => log::debug(|| format!("{path} of {} is on the {} path", library.origin, library.search.word())),
            Err(e) => tell(done, format!("{path} of {} is skipped: the JVM does not take it: {e}", library.origin)),
        }
    }
}

fn tell(done: &mut Done, line: String) {
    if !done.told.contains(&line) {
        log::line(&line);
        done.told.insert(line);
    }
}
