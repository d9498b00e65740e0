//! One release of an application's library: its classes with their members.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use classfile::{ClassFile, access, mutf8};
use rayon::prelude::*;

use super::jdk_members;
use crate::archive::{Archive, Limits};
use crate::error::{Error, Result};
use crate::jdk;
use crate::paths;

/// A field or a method.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) descriptor: String,
    pub(super) access: u16,
}

impl Member {
    /// Whether subclasses in other packages may use it, and no others.
    pub(super) fn is_protected(&self) -> bool {
        self.access & access::PROTECTED != 0
    }

    /// Whether everybody may use it.
    pub(super) fn is_public(&self) -> bool {
        self.access & access::PUBLIC != 0
    }

    /// Whether it belongs to the class and not to its instances.
    pub(super) fn is_static(&self) -> bool {
        self.access & access::STATIC != 0
    }
}

/// A class.
#[derive(Debug)]
pub(super) struct Shape {
    access: u16,
    /// Superclass, then interfaces.
    pub(super) supertypes: Vec<String>,
    pub(super) fields: Vec<Member>,
    pub(super) methods: Vec<Member>,
    /// Dotted names of its annotations, and of those of each method, by index.
    pub(super) annotations: Vec<String>,
    pub(super) method_annotations: Vec<Vec<String>>,
}

impl Shape {
    /// A public class without members yet.
    pub(super) fn outside(supertypes: Vec<String>) -> Self {
        let (fields, methods, annotations, method_annotations) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { access: access::PUBLIC, supertypes, fields, methods, annotations, method_annotations }
    }

    /// Whether it has this access flag.
    pub(super) fn is(&self, flag: u16) -> bool {
        self.access & flag != 0
    }
}

/// All classes of a release, and those that it stands on.
#[derive(Debug)]
pub(super) struct Release {
    /// What messages call it: coordinates or a path.
    pub(super) label: String,
    classes: HashMap<String, Shape>,
    /// Whether a class is of the release itself.
    own: HashMap<String, bool>,
}

/// Where a look for a member ended.
#[derive(Debug)]
pub(super) enum Found<'r> {
    /// The class, by internal name, and its member.
    Here(&'r str, &'r Member),
    /// A supertype lies outside, so that the member may be there; its internal name.
    Perhaps(String),
    /// It is nowhere.
    Nowhere,
}

impl Release {
    /// Reads the jar of a release, and jars that it stands on.
    ///
    /// # Errors
    /// A jar or a class in it cannot be read.
    pub(super) fn read(label: String, jar: &Path, more: &[PathBuf], limits: Limits) -> Result<Self> {
        let mut release = Self { label, classes: HashMap::new(), own: HashMap::new() };
        for (number, path) in std::iter::once(jar).chain(more.iter().map(PathBuf::as_path)).enumerate() {
            let archive = Archive::open_with(path, limits)?;
            let indexes: Vec<usize> = archive
                .entries()
                .iter()
                .enumerate()
                .filter(|(_, entry)| is_class(&entry.name))
                .map(|(i, _)| i)
                .collect();
            let read: Vec<(String, Shape)> =
                indexes.into_par_iter().map(|index| shape_at(&archive, index)).collect::<Result<_>>()?;
            for (name, shape) in read {
                // The first one on a class path counts.
                release.own.entry(name.clone()).or_insert(number == 0);
                release.classes.entry(name).or_insert(shape);
            }
        }
        Ok(release)
    }

    /// The class of that internal name.
    pub(super) fn class(&self, name: &str) -> Option<&Shape> {
        self.classes.get(name)
    }

    /// Classes of the release itself, by internal name.
    pub(super) fn own(&self) -> impl Iterator<Item = (&str, &Shape)> {
        self.classes
            .iter()
            .filter(|(name, _)| self.own.get(*name) == Some(&true))
            .map(|(name, shape)| (name.as_str(), shape))
    }

    /// The class of that internal name, which may be one of the JDK that is known.
    fn known<'r>(&'r self, name: &str) -> Option<(&'r str, &'r Shape)> {
        let here = self.classes.get_key_value(name).map(|(name, shape)| (name.as_str(), shape));
        here.or_else(|| jdk_members::get(name))
    }

    /// Whether a class is the other one or a subtype of it; `None` where a supertype lies outside.
    pub(super) fn is_below(&self, class: &str, ancestor: &str) -> Option<bool> {
        let mut is_whole = true;
        let mut open = vec![class];
        let mut seen = HashSet::new();
        while let Some(name) = open.pop() {
            if name == ancestor {
                return Some(true);
            }
            if !seen.insert(name) {
                continue;
            }
            match self.known(name) {
                Some((_, shape)) => open.extend(shape.supertypes.iter().map(String::as_str)),
                // A class of the JDK has none of the release above it.
                None => is_whole &= jdk::has(name),
            }
        }
        is_whole.then_some(false)
    }

    /// Looks for a member in a class and above it, as the JVM does.
    pub(super) fn find<'r>(
        &'r self,
        class: &str,
        members: impl Fn(&Shape) -> &[Member] + Copy,
        wanted: impl Fn(&Member) -> bool + Copy,
    ) -> Found<'r> {
        let mut open = vec![class.to_owned()];
        let mut seen: Vec<String> = Vec::new();
        let mut outside = None;
        while let Some(name) = open.pop() {
            if seen.contains(&name) {
                continue;
            }
            let Some((name, shape)) = self.known(&name) else {
                outside = outside.or(Some(name.clone()));
                seen.push(name);
                continue;
            };
            if let Some(member) = members(shape).iter().find(|member| wanted(member)) {
                return Found::Here(name, member);
            }
            // The superclass is looked at first.
            open.extend(shape.supertypes.iter().rev().cloned());
            seen.push(name.to_owned());
        }
        outside.map_or(Found::Nowhere, Found::Perhaps)
    }
}

fn is_class(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    path.ends_with(paths::CLASS_SUFFIX) && !path.starts_with(paths::META_INF) && file != "module-info.class"
}

fn shape_at(archive: &Archive, index: usize) -> Result<(String, Shape)> {
    let bytes = archive.read(index)?;
    shape(&bytes).map_err(|source| Error::Class { origin: Box::new(archive.origin(index)), source: Box::new(source) })
}

fn shape(bytes: &[u8]) -> Result<(String, Shape), classfile::Error> {
    let file = ClassFile::parse(bytes)?;
    let text = |raw: &[u8]| mutf8::decode(raw).map(|text| text.to_string());
    let member = |member: classfile::Member<'_>| {
        Ok(Member { name: text(member.name)?, descriptor: text(member.descriptor)?, access: member.access })
    };
    let names = |annotations: Vec<classfile::Annotation>| -> Vec<String> {
        let name = |a: classfile::Annotation| {
            a.type_descriptor.trim_start_matches('L').trim_end_matches(';').replace('/', ".")
        };
        annotations.into_iter().map(name).collect()
    };
    let shape = Shape {
        access: file.access(),
        supertypes: file.super_name().into_iter().chain(file.interfaces()).map(text).collect::<Result<_, _>>()?,
        fields: file.fields().map(member).collect::<Result<_, classfile::Error>>()?,
        methods: file.methods().map(member).collect::<Result<_, classfile::Error>>()?,
        annotations: names(file.annotations()?),
        method_annotations: file
            .methods()
            .map(|m| Ok(names(m.annotations()?)))
            .collect::<Result<_, classfile::Error>>()?,
    };
    Ok((text(file.this_name())?, shape))
}
