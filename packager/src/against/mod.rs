//! Whether a provided-style extension fits releases of the library that the application brings.
//!
//! [`demand`] says what is asked for: what the bytecode names ([`references`]), what is looked up by constant names
//! ([`lookups`]), and what probes are to be woven into ([`patterns`]). [`release`] holds the classes of a release, and
//! [`resolve`] looks there.

mod demand;
mod jdk_members;
mod lookups;
mod patterns;
mod references;
mod release;
mod resolve;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use classfile::ClassFile;
use rayon::prelude::*;

use crate::archive::Limits;
use crate::error::{Error, Result};
use crate::extension::{Extension, ExtensionClass};
use crate::jdk;
use release::Release;

pub(crate) use demand::{Demand, Kind};
pub(crate) use resolve::Verdict;

/// Packages of the agent and of probes.
const AGENT: &str = "io/btrace/";

/// A pattern of a probe that is no regular expression.
#[derive(Debug, thiserror::Error)]
#[error("`{place}` has a pattern that cannot be used: `{pattern}`: {reason}")]
pub struct PatternError {
    pub(crate) place: String,
    pub(crate) pattern: String,
    pub(crate) reason: String,
}

/// The classes that an application's library may have: not the extension's own, the JDK's or the agent's.
#[derive(Debug)]
struct Area {
    /// Each with its superclass.
    own: HashMap<String, String>,
    ignored: Vec<String>,
    /// Beginnings of probe patterns that do not count.
    patterns: Vec<String>,
}

impl Area {
    fn has(&self, class: &str) -> bool {
        let ignored = |name: &String| {
            class.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '$']))
        };
        !class.is_empty()
            && !self.own.contains_key(class)
            && !class.starts_with(AGENT)
            && !jdk::has(class)
            && !self.ignored.iter().any(ignored)
    }

    /// Whether this pattern, which is no plain name, does not count.
    fn ignores(&self, pattern: &str) -> bool {
        self.patterns.iter().any(|beginning| pattern.starts_with(beginning.as_str()))
    }

    /// The first class above one of the extension's own that is not its own.
    fn superclass(&self, class: &str) -> String {
        let mut name = class;
        // As many steps as there are classes, since classes that were made badly may extend each other.
        for _ in 0..=self.own.len() {
            let Some(superclass) = self.own.get(name) else { break };
            name = superclass;
        }
        name.to_owned()
    }
}

/// What an extension asks of the application's library.
#[derive(Debug, Default)]
pub(crate) struct Demands {
    /// Everything that is asked for by name.
    pub(crate) all: BTreeSet<Demand>,
    /// Look-ups whose names are computed: where.
    pub(crate) computed: BTreeSet<String>,
}

/// Collects what `extension` asks for. Packages and classes of `ignored`, dotted, do not count, nor do
/// patterns of probes that begin as one there does.
///
/// # Errors
/// A class cannot be read, or a probe has a pattern that is no regular expression.
pub(crate) fn demands(extension: &Extension, ignored: &[String]) -> Result<Demands> {
    let all = || extension.api.iter().chain(&extension.implementation).chain(&extension.probes);
    let area = Area {
        own: all().map(|class| (class.class.name.clone(), superclass(class))).collect(),
        patterns: ignored.iter().filter(|text| !patterns::is_name(text)).cloned().collect(),
        ignored: ignored
            .iter()
            .filter(|text| patterns::is_name(text))
            .map(|name| name.trim_end_matches(".*").replace('.', "/"))
            .collect(),
    };
    let of = |class: &ExtensionClass| -> Result<Demands> {
        let bytes = class.content.read()?;
        let origin = || Box::new(class.origin.clone());
        let file =
            ClassFile::parse(&bytes).map_err(|source| Error::Class { origin: origin(), source: Box::new(source) })?;
        let mut demands = Demands::default();
        let mut computed = lookups::Computed::default();
        references::add(&file, &area, &mut demands.all);
        lookups::add(&file, &area, &mut demands.all, &mut computed);
        patterns::add(&file, &area, &mut demands.all)?;
        demands.computed = computed.0;
        Ok(demands)
    };
    let classes: Vec<&ExtensionClass> = all().collect();
    let each: Vec<Demands> = classes.into_par_iter().map(of).collect::<Result<_>>()?;
    let mut demands = Demands::default();
    for one in each {
        demands.all.extend(one.all);
        demands.computed.extend(one.computed);
    }
    Ok(demands)
}

fn superclass(class: &ExtensionClass) -> String {
    class.class.supertypes.first().cloned().unwrap_or_default()
}

/// What one release answers.
#[derive(Debug)]
pub(crate) struct Answers {
    /// The release: coordinates or a path.
    pub(crate) label: String,
    /// A verdict for each demand, in their order.
    pub(crate) verdicts: Vec<Verdict>,
}

/// Asks the release in `jar`, which messages call `label`, and the jars that it stands on.
///
/// # Errors
/// A jar cannot be read.
pub(crate) fn ask(demands: &Demands, label: String, jar: &Path, more: &[PathBuf], limits: Limits) -> Result<Answers> {
    let release = Release::read(label, jar, more, limits)?;
    let verdicts = demands.all.iter().map(|demand| resolve::resolve(&demand.what, &release)).collect();
    Ok(Answers { label: release.label, verdicts })
}
