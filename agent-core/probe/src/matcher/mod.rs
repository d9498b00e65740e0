//! Which classes and methods all probes together ask for.

mod class;
mod compiled;
mod count;
mod index;

pub use class::ClassMatcher;
pub(crate) use compiled::compile;
pub use count::Counts;

use crate::hierarchy::{Hierarchy, NoHierarchy, Own};
use crate::model::{ClassPattern, MethodPattern, Probe};
use classfile::{ClassFile, ConstantPool, mutf8};
use compiled::Compiled;
use index::Index;
use std::collections::HashMap;
use std::sync::Arc;

/// Packages the agent stands on: weaving them could only recurse.
const REFUSED: [&[u8]; 2] = [b"java/lang/invoke/", b"io/btrace/"];

/// The class that woven code names.
const LINKER: &[u8] = b"java/lang/FatAgentLinker";

/// Whether a class, by internal name, is never woven.
pub fn is_refused(internal: &[u8]) -> bool {
    REFUSED.iter().any(|p| internal.starts_with(p)) || internal == LINKER
}

/// Whether a class, by internal name and class-file version, can hold no invokedynamic of ours: linking one inside the
/// JDK's own classes recurses, and below version 51 there is none.
pub fn needs_direct_calls(internal: &[u8], major: u16) -> bool {
    major < 51 || [&b"java/"[..], b"jdk/", b"sun/"].iter().any(|p| internal.starts_with(p))
}

/// A handler of a probe. Their order is that in which several run at one place: probes as they were submitted, handlers as
/// in their class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wanted {
    probe: usize,
    handler: usize,
}

/// All probes that are active at one time; made anew when one comes or goes.
///
/// A class is asked for by its name ([`Self::wants`]), by its annotations, or by its supertypes. Only names can be told
/// without its bytes; [`Self::reads_annotations`] and [`Self::reads_hierarchy`] say whether the rest matters at all.
/// [`Self::class`] decides names, annotations, and those supertypes that the class file itself names. Where
/// [`ClassMatcher::needs_hierarchy`] then holds, the rest is decided once the supertypes are known:
/// [`Self::wants_subtype`] or [`ClassMatcher::add_supertypes`].
#[derive(Debug)]
pub struct Matcher {
    probes: Vec<(u32, Arc<Probe>)>,
    compiled: Vec<Vec<Compiled>>,
    names: Index,
    annotations: Index,
    subtypes: HashMap<String, Vec<Wanted>>,
}

impl Matcher {
    /// Takes probes with their numbers. The patterns were checked when the probes were read; one that does not compile
    /// all the same is an error.
    pub fn new(probes: Vec<(u32, Arc<Probe>)>) -> Result<Self, regex::Error> {
        let (mut names, mut annotations) = (index::Builder::default(), index::Builder::default());
        let mut subtypes: HashMap<String, Vec<Wanted>> = HashMap::new();
        let mut compiled = Vec::with_capacity(probes.len());
        for (p, (id, probe)) in probes.iter().enumerate() {
            for (h, handler) in probe.handlers.iter().enumerate() {
                let wanted = Wanted { probe: p, handler: h };
                match &handler.class {
                    ClassPattern::Name(pattern) => names.add(pattern, wanted),
                    ClassPattern::Annotated(pattern) => annotations.add(pattern, wanted),
                    ClassPattern::Subtype(name) => {
                        subtypes.entry(name.replace('.', "/")).or_default().push(wanted);
                    }
                }
            }
            let of_probe = probe.handlers.iter().enumerate().map(|(h, handler)| Compiled::new(*id, h, handler));
            compiled.push(of_probe.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(Self { probes, compiled, names: names.build()?, annotations: annotations.build()?, subtypes })
    }

    /// Whether no probe is active.
    pub fn is_empty(&self) -> bool {
        self.probes.is_empty()
    }

    /// Dotted name of the probe with this number.
    pub fn name_of(&self, probe: u32) -> Option<&str> {
        self.probes.iter().find(|(id, _)| *id == probe).map(|(_, probe)| probe.name.as_str())
    }

    /// Whether some handler asks for this class by its name; the name is an internal one.
    pub fn wants(&self, internal: &[u8]) -> bool {
        !is_refused(internal) && self.names.matches(internal)
    }

    /// Whether some handler asks for classes by their annotations.
    pub fn reads_annotations(&self) -> bool {
        !self.annotations.is_empty()
    }

    /// Whether some handler asks for classes by their supertypes.
    pub fn reads_hierarchy(&self) -> bool {
        !self.subtypes.is_empty()
    }

    /// Whether it depends on the supertypes of values which places some handler takes.
    pub fn compares_types(&self) -> bool {
        self.probes.iter().any(|(_, probe)| probe.handlers.iter().any(crate::Handler::compares_types))
    }

    /// Internal names of the annotations that some handler asks for and that the constants of a class name, whether the class
    /// carries them itself or not.
    pub fn annotations_in<'a>(&self, pool: &ConstantPool<'a>) -> impl Iterator<Item = &'a [u8]> {
        (1..pool.len())
            .filter_map(|index| pool.utf8(index).ok())
            .filter_map(|text| text.strip_prefix(b"L")?.strip_suffix(b";"))
            .filter(|name| self.annotations.matches(name))
    }

    /// Whether some handler asks for methods by their annotations.
    pub fn reads_method_annotations(&self) -> bool {
        let is_annotated = |handler: &crate::Handler| matches!(handler.target, MethodPattern::Annotated(_));
        self.probes.iter().any(|(_, probe)| probe.handlers.iter().any(is_annotated))
    }

    /// Whether some handler asks for the subtypes of one of these, internal names of a class and its supertypes.
    pub fn wants_subtype<'n>(&self, internal: &[u8], types: impl IntoIterator<Item = &'n str>) -> bool {
        self.reads_hierarchy()
            && !is_refused(internal)
            && types.into_iter().any(|name| self.subtypes.contains_key(name))
    }

    /// The handlers that ask for a class by its name alone.
    pub fn for_class(&self, internal: &[u8]) -> ClassMatcher<'_> {
        self.for_class_with(internal, &NoHierarchy)
    }

    fn for_class_with<'m>(&'m self, internal: &[u8], hierarchy: &'m dyn Hierarchy) -> ClassMatcher<'m> {
        let mut wanted = Vec::new();
        let is_refused = is_refused(internal);
        if !is_refused {
            self.names.collect(internal, &mut wanted);
        }
        let own = Own { name: mutf8::as_str(internal).unwrap_or_default().to_owned(), ..Own::default() };
        ClassMatcher::new(self, own, hierarchy, wanted, is_refused)
    }

    /// The handlers that ask for a class by its name, its annotations, or the supertypes that its file or the hierarchy
    /// tells of. The hierarchy also decides which parameters take which values.
    ///
    /// # Errors
    /// The annotations of the class are malformed.
    pub fn class<'m>(
        &'m self,
        file: &ClassFile<'_>,
        hierarchy: &'m dyn Hierarchy,
    ) -> Result<ClassMatcher<'m>, classfile::Error> {
        let mut matcher = self.for_class_with(file.this_name(), hierarchy);
        if self.reads_annotations() && !is_refused(file.this_name()) {
            for annotation in file.annotations()? {
                if let Some(name) = compiled::annotation_name(&annotation) {
                    self.annotations.collect(name.as_bytes(), &mut matcher.wanted);
                }
            }
        }
        matcher.add_direct(file);
        Ok(matcher)
    }
}
