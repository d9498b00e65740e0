//! Which classes are the API: the services, the exports, and whatever of the extension those show.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::error::Error;
use super::shown::{self, Shown};
use crate::base::Base;
use crate::class::{dotted, slashed};
use crate::error::Result;
use crate::extension::{Extension, ExtensionClass};
use crate::jdk::{self, Loader};
use crate::origin::Origin;
use crate::paths;

/// Annotations that are read from class files, and the one type in them; nobody loads them at run time.
const OURS: &str = "io/btrace/core/extensions/";
/// Annotations that compilers add to classes without being asked. The JVM passes over annotations whose type is absent.
const OF_COMPILERS: [&str; 3] =
    ["kotlin/Metadata", "org/jetbrains/annotations/NotNull", "org/jetbrains/annotations/Nullable"];

/// What the implementation is to API classes.
pub(super) const IMPLEMENTATION: &str = "an implementation class, which the bootstrap loader does not find";

/// What the classes of an extension may meet.
#[derive(Debug)]
pub(super) struct World<'a> {
    /// The extension's own classes, by internal name.
    pub(super) own: BTreeMap<&'a str, &'a ExtensionClass>,
    /// Classes of dependencies.
    pub(super) dependencies: &'a BTreeMap<String, Origin>,
    /// Packages of the application, dotted.
    pub(super) provided: &'a [String],
    /// Classes that are no API whatever names them, dotted.
    pub(super) excluded: &'a [String],
    /// The agent's classes: those that the bootstrap loader sees, and masked ones.
    visible: BTreeSet<String>,
    masked: BTreeSet<String>,
    /// Whether the extension was built before. An annotation whose type is absent does no harm at run time, so that it is no
    /// reason to find fault with an extension that works.
    is_given: bool,
}

/// The API.
#[derive(Debug, Default)]
pub(super) struct Api {
    /// Internal names.
    pub(super) classes: BTreeSet<String>,
    /// What the user should know.
    pub(super) warnings: BTreeSet<String>,
}

/// What a type is to an API class.
enum Kind {
    /// A class of the extension that becomes API.
    Own,
    /// Every API class sees it.
    Seen,
    /// A JDK class that the bootstrap loader does not see.
    Elsewhere(jdk::Module),
    /// Nobody who has the API only can see it.
    Hidden(String),
}

impl<'a> World<'a> {
    pub(super) fn new(
        own: impl Iterator<Item = &'a ExtensionClass>,
        dependencies: &'a BTreeMap<String, Origin>,
        provided: &'a [String],
        excluded: &'a [String],
        base: &Base,
    ) -> Self {
        let names = base.archive.entries().iter().map(|entry| entry.name.as_str());
        let root = names.clone().filter(|name| !name.starts_with(paths::META_INF));
        let visible = root.filter_map(|name| name.strip_suffix(paths::CLASS_SUFFIX)).map(str::to_owned).collect();
        let masked = names.filter_map(|name| name.strip_prefix(paths::SHARED)?.strip_suffix(paths::MASKED_SUFFIX));
        Self {
            own: own.map(|class| (class.class.name.as_str(), class)).collect(),
            dependencies,
            provided,
            excluded,
            visible,
            masked: masked.map(str::to_owned).collect(),
            is_given: false,
        }
    }

    /// The world of an extension that was built before and meets the API of `others`.
    pub(super) fn given<'b>(mut self, others: impl Iterator<Item = &'b Extension>) -> Self {
        self.is_given = true;
        self.visible.extend(others.flat_map(|other| &other.api).map(|class| class.class.name.clone()));
        self
    }

    /// Whether `excluded-exports` names the class, or one that it is nested in.
    pub(super) fn is_excluded(&self, class: &str) -> bool {
        let name = dotted(class);
        self.excluded.iter().any(|excluded| name == *excluded || is_nested(&name, excluded))
    }

    fn kind(&self, class: &str, annotation: bool) -> Kind {
        if self.own.contains_key(class) {
            return if self.is_excluded(class) {
                Kind::Hidden("a class that `excluded-exports` keeps out of it".to_owned())
            } else {
                Kind::Own
            };
        }
        let passed_over = self.is_given || class.starts_with(OURS) || OF_COMPILERS.contains(&class);
        if annotation && passed_over || self.visible.contains(class) {
            return Kind::Seen;
        }
        if self.masked.contains(class) {
            return Kind::Hidden("a masked class of the agent".to_owned());
        }
        let package = |provided: &&String| class.starts_with(&format!("{}/", slashed(provided)));
        if let Some(package) = self.provided.iter().find(package) {
            return Kind::Hidden(format!("a class that the application provides (`{package}`)"));
        }
        if let Some(origin) = self.dependencies.get(class) {
            return Kind::Hidden(format!("a class of a dependency ({origin})"));
        }
        match jdk::module_of(class) {
            Some(module) if module.loader == Loader::Boot => Kind::Seen,
            Some(module) => Kind::Elsewhere(module),
            None if class.starts_with("java/") => Kind::Seen,
            None => Kind::Hidden("a class that is neither the extension's nor the JDK's".to_owned()),
        }
    }
}

/// Follows `start`, dotted names, through everything that classes show.
///
/// # Errors
/// A class cannot be read, or the API shows or uses a class that its users cannot see.
pub(super) fn follow(start: impl Iterator<Item = String>, world: &World<'_>) -> Result<Api> {
    let (api, hidden) = walk(start, world)?;
    let others = hidden.len().saturating_sub(1);
    match hidden.into_iter().next() {
        None => Ok(api),
        Some(first) if others == 0 => Err(first.into()),
        Some(first) => Err(Error::Leaks { first: Box::new(first), others }.into()),
    }
}

/// As [`follow`], with what users cannot see apart.
///
/// # Errors
/// A class cannot be read.
pub(super) fn walk(start: impl Iterator<Item = String>, world: &World<'_>) -> Result<(Api, Vec<Error>)> {
    let mut api = Api::default();
    let mut queue: VecDeque<String> =
        start.map(|name| slashed(&name)).filter(|name| !world.is_excluded(name)).collect();
    let mut hidden: Vec<Error> = Vec::new();
    let mut code: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    while let Some(name) = queue.pop_front() {
        let Some(class) = world.own.get(name.as_str()) else { continue };
        if !api.classes.insert(name.clone()) {
            continue;
        }
        let Shown { uses, nested, code: used } = read(class)?;
        for used in uses {
            let (class, type_name, place) = (dotted(&name), dotted(&used.name), used.place);
            match world.kind(&used.name, used.annotation) {
                Kind::Own => queue.push_back(used.name),
                Kind::Seen => {}
                Kind::Elsewhere(module) => drop(api.warnings.insert(elsewhere(&class, &type_name, &place, module))),
                Kind::Hidden(what) => hidden.push(Error::Leak { class, type_name, place, what }),
            }
        }
        queue.extend(
            nested.into_iter().filter(|name| world.own.contains_key(name.as_str()) && !world.is_excluded(name)),
        );
        code.insert(name, used);
    }
    // A class that is named along with one nested in it is there for the sake of that one.
    let outer = |used: &BTreeSet<String>, name: &str| used.iter().any(|other| is_nested(other, name));
    let used = code
        .iter()
        .flat_map(|(class, used)| used.iter().filter(move |name| !outer(used, name)).map(move |name| (class, name)));
    for (class, name) in used.filter(|(_, name)| !api.classes.contains(*name)) {
        let what = match world.kind(name, false) {
            Kind::Own => IMPLEMENTATION.to_owned(),
            Kind::Hidden(what) => what,
            Kind::Elsewhere(module) => {
                api.warnings.insert(elsewhere(&dotted(class), &dotted(name), "its code", module));
                continue;
            }
            Kind::Seen => continue,
        };
        let known = |error: &Error| matches!(error, Error::Leak { class: c, type_name, .. } if *c == dotted(class) && *type_name == dotted(name));
        if !hidden.iter().any(known) {
            let place = "its code".to_owned();
            hidden.push(Error::Leak { class: dotted(class), type_name: dotted(name), place, what });
        }
    }
    Ok((api, hidden))
}

/// Whether a class is nested in another one, by their names.
pub(super) fn is_nested(class: &str, outer: &str) -> bool {
    class.strip_prefix(outer).is_some_and(|rest| rest.starts_with('$'))
}

fn elsewhere(class: &str, type_name: &str, place: &str, module: jdk::Module) -> String {
    format!(
        "API class `{class}` names in {place} a class of module `{}`, which the bootstrap loader does not see from Java 9 on: \
         `{type_name}`",
        module.name
    )
}

fn read(class: &ExtensionClass) -> Result<Shown> {
    shown::of(&class.content.read()?).map_err(|source| crate::error::Error::Class {
        origin: Box::new(class.origin.clone()),
        source: Box::new(source),
    })
}
