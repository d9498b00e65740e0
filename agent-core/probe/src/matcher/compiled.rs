//! The patterns of a handler, compiled.

use crate::fit::{dotted, signature, type_text};
use crate::kind::Kind;
use crate::model::{Handler, Location, MethodPattern, Pattern};
use crate::weaving::{MethodInfo, Site, SiteKind};
use classfile::{Annotation, descriptor};
use regex::bytes::{Regex, RegexBuilder};
use std::sync::Arc;

/// One expression, anchored to the whole name, over bytes as names are ASCII nearly always.
pub(crate) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&anchored(pattern)).unicode(false).build()
}

pub(super) fn anchored(pattern: &str) -> String {
    format!("^(?:{pattern})$")
}

/// The expression of probes on all classes or all methods, which needs no automaton.
pub(super) const ANYTHING: &str = ".*";

/// Whether [`ANYTHING`] matches: a dot matches anything but the end of a line, which a name may hold.
pub(super) fn is_anything(name: &[u8]) -> bool {
    !name.contains(&b'\n')
}

/// Internal name of an annotation interface.
pub(super) fn annotation_name(annotation: &Annotation) -> Option<&str> {
    annotation.type_descriptor.strip_prefix('L')?.strip_suffix(';')
}

#[derive(Debug)]
enum Name {
    /// What `.*` matches, which probes on whole classes ask of every method.
    Any,
    Exact(String),
    Regex(Regex),
}

impl Name {
    fn new(pattern: &Pattern) -> Result<Self, regex::Error> {
        Ok(match pattern {
            Pattern::Exact(name) => Self::Exact(name.clone()),
            Pattern::Regex(regex) if regex == ANYTHING => Self::Any,
            Pattern::Regex(regex) => Self::Regex(compile(regex)?),
        })
    }

    fn is_match(&self, name: &str) -> bool {
        match self {
            Self::Any => is_anything(name.as_bytes()),
            Self::Exact(exact) => exact == name,
            Self::Regex(regex) => regex.is_match(name.as_bytes()),
        }
    }
}

/// What a handler asks of methods and of places in them.
#[derive(Debug)]
pub(super) struct Compiled {
    /// Name of its calls, but for conditions.
    pub(super) call: Arc<str>,
    target: Name,
    is_annotation: bool,
    class: Option<Name>,
    member: Option<Name>,
}

impl Compiled {
    /// Compiles the handler with that index of the probe with that number.
    pub(super) fn new(probe: u32, index: usize, handler: &Handler) -> Result<Self, regex::Error> {
        let (is_annotation, target) = match &handler.target {
            MethodPattern::Name(pattern) => (false, pattern),
            MethodPattern::Annotated(pattern) => (true, pattern),
        };
        let filter = |pattern: &Option<Pattern>| pattern.as_ref().map(Name::new).transpose();
        Ok(Self {
            call: format!("{probe}:{index}:{}", handler.method).into(),
            target: Name::new(target)?,
            is_annotation,
            class: filter(&handler.location.class)?,
            member: filter(&handler.location.member)?,
        })
    }

    /// Whether the method is one that the handler names. Annotations that cannot be read match nothing.
    pub(super) fn names(&self, method: &MethodInfo<'_>) -> bool {
        if !self.is_annotation {
            return self.target.is_match(method.name);
        }
        let annotations = method.member.annotations().unwrap_or_default();
        annotations.iter().filter_map(annotation_name).any(|name| self.target.is_match(&dotted(name)))
    }

    /// Whether the place passes the filters of the handler's location, which is of the same kind.
    pub(super) fn passes(&self, location: &Location, site: &Site<'_>) -> bool {
        if location.line.is_some_and(|line| line != site.line) {
            return false;
        }
        if let Some(member) = &self.member
            && !member.is_match(site.name)
        {
            return false;
        }
        let class = |class: &Name| match site.kind {
            SiteKind::Call | SiteKind::FieldGet | SiteKind::FieldSet => class.is_match(&dotted(site.class)),
            SiteKind::Catch if site.descriptor.is_empty() => class.is_match("java.lang.Throwable"),
            SiteKind::NewArray => class.is_match(&type_text(site.descriptor.trim_start_matches('['))),
            _ => class.is_match(&type_text(site.descriptor)),
        };
        self.class.as_ref().is_none_or(class)
            && (location.type_constraint.is_empty() || has_type(&location.type_constraint, site))
    }
}

fn has_type(constraint: &str, site: &Site<'_>) -> bool {
    match site.kind {
        SiteKind::Call => descriptor::method(site.descriptor).is_ok_and(|parsed| signature(&parsed) == constraint),
        SiteKind::ArrayGet | SiteKind::ArraySet => {
            let array = type_text(site.descriptor);
            array == constraint || array.strip_suffix("[]") == Some(constraint)
        }
        _ => type_text(site.descriptor) == constraint,
    }
}

/// The kind of place, of kinds that are places within methods.
pub(super) fn site_kind(kind: Kind) -> Option<SiteKind> {
    Some(match kind {
        Kind::Entry | Kind::Return | Kind::Error => return None,
        Kind::Call => SiteKind::Call,
        Kind::Line => SiteKind::Line,
        Kind::FieldGet => SiteKind::FieldGet,
        Kind::FieldSet => SiteKind::FieldSet,
        Kind::ArrayGet => SiteKind::ArrayGet,
        Kind::ArraySet => SiteKind::ArraySet,
        Kind::CheckCast => SiteKind::CheckCast,
        Kind::InstanceOf => SiteKind::InstanceOf,
        Kind::Throw => SiteKind::Throw,
        Kind::Catch => SiteKind::Catch,
        Kind::New => SiteKind::New,
        Kind::NewArray => SiteKind::NewArray,
        Kind::SyncEntry => SiteKind::SyncEntry,
        Kind::SyncExit => SiteKind::SyncExit,
    })
}
