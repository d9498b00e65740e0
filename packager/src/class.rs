//! What the packager asks of a class file: its name, what its users see of it, its annotations and its methods.

use std::collections::BTreeSet;

use classfile::descriptor::{self, FieldType};
use classfile::{ClassFile, access, mutf8};

use crate::error::{Error, Result};
use crate::origin::Origin;

/// The factory method that the agent looks for where there is no constructor for it.
pub(crate) const FACTORY: &str = "getInstance";
/// What it passes to a constructor or factory method that takes it.
const RUNTIME: &str = "Lio/btrace/runtime/BTraceRuntime$Impl;";

/// One method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Method {
    /// Name.
    pub(crate) name: String,
    /// Descriptor.
    pub(crate) descriptor: String,
    /// Access flags.
    pub(crate) access: u16,
}

/// A summary of one class file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Class {
    /// Internal name, such as `a/b/C$D`.
    pub(crate) name: String,
    /// Internal names of its superclass, if any, and of its interfaces.
    pub(crate) supertypes: Vec<String>,
    /// Internal names of its supertypes and of the types in its public and protected members.
    pub(crate) visible_types: BTreeSet<String>,
    /// Type descriptors of its annotations.
    pub(crate) annotations: Vec<String>,
    /// Its methods.
    pub(crate) methods: Vec<Method>,
}

impl Class {
    /// Reads a class file, which `origin` is the place of.
    ///
    /// # Errors
    /// The bytes are no class file.
    pub(crate) fn read(bytes: &[u8], origin: &Origin) -> Result<Self> {
        summary(bytes).map_err(|source| Error::Class { origin: Box::new(origin.clone()), source: Box::new(source) })
    }

    /// Reads a class file that must hold the class of its path, `a/b/C` without suffix.
    ///
    /// # Errors
    /// The bytes are no class file, or hold another class.
    pub(crate) fn read_at(bytes: &[u8], path: &str, origin: &Origin) -> Result<Self> {
        let class = Self::read(bytes, origin)?;
        if class.name == path {
            Ok(class)
        } else {
            Err(Error::ClassName { origin: Box::new(origin.clone()), found: dotted(&class.name) })
        }
    }

    /// Whether the class has a public static method of that name and descriptor.
    pub(crate) fn has_public_static(&self, name: &str, descriptor: &str) -> bool {
        self.has_method(name, descriptor, access::PUBLIC | access::STATIC)
    }

    /// Whether the class has a public constructor without parameters.
    pub(crate) fn has_public_constructor(&self) -> bool {
        self.has_method("<init>", "()V", access::PUBLIC)
    }

    /// Whether the agent can make an instance as a service: by a public constructor without parameters or with the runtime of
    /// the probe, or by a public factory method that returns the class or the service.
    pub(crate) fn can_be_service(&self, service: &str) -> bool {
        let factory =
            |result: &str, parameters: &str| self.has_public_static(FACTORY, &format!("({parameters})L{result};"));
        self.has_public_constructor()
            || self.has_method("<init>", &format!("({RUNTIME})V"), access::PUBLIC)
            || [self.name.as_str(), service].iter().any(|result| factory(result, "") || factory(result, RUNTIME))
    }

    fn has_method(&self, name: &str, descriptor: &str, wanted: u16) -> bool {
        self.methods.iter().any(|m| m.name == name && m.descriptor == descriptor && m.access & wanted == wanted)
    }
}

fn summary(bytes: &[u8]) -> Result<Class, classfile::Error> {
    let file = ClassFile::parse(bytes)?;
    let text = |raw: &[u8]| mutf8::decode(raw).map(|text| text.to_string());
    let mut visible_types = BTreeSet::new();
    let supertypes: Vec<String> =
        file.super_name().into_iter().chain(file.interfaces()).map(text).collect::<Result<_, _>>()?;
    visible_types.extend(supertypes.iter().cloned());
    let seen = |access: u16| access & (access::PUBLIC | access::PROTECTED) != 0;
    for field in file.fields().filter(|field| seen(field.access)) {
        let descriptor = text(field.descriptor)?;
        visible_types.extend(class_of(&descriptor::field(&descriptor)?));
    }
    let mut methods = Vec::new();
    for method in file.methods() {
        let descriptor = text(method.descriptor)?;
        if seen(method.access) {
            let parsed = descriptor::method(&descriptor)?;
            let types = parsed.parameters.iter().chain(&parsed.result);
            visible_types.extend(types.filter_map(class_of));
            for name in exceptions(&file, &method) {
                visible_types.insert(text(name?)?);
            }
        }
        methods.push(Method { name: text(method.name)?, descriptor, access: method.access });
    }
    let annotations = file.annotations()?.into_iter().map(|annotation| annotation.type_descriptor).collect();
    Ok(Class { name: text(file.this_name())?, supertypes, visible_types, annotations, methods })
}

/// Internal name of the class that a type is, or is an array of.
fn class_of(field: &FieldType<'_>) -> Option<String> {
    field.descriptor.trim_start_matches('[').strip_prefix('L')?.strip_suffix(';').map(str::to_owned)
}

/// Internal names of the exceptions that a method declares.
fn exceptions<'a>(file: &ClassFile<'a>, method: &classfile::Member<'_>) -> Vec<Result<&'a [u8], classfile::Error>> {
    let data = method.attribute("Exceptions").map_or(&[][..], |attribute| attribute.data);
    // The first two bytes are the count; what follows are indexes of two bytes each.
    let indexes = data.get(2..).unwrap_or(&[]).chunks_exact(2);
    indexes.map(|index| file.pool().class_name(u16::from_be_bytes([index[0], index[1]]))).collect()
}

/// `a.b.C` for `a/b/C`.
pub(crate) fn dotted(internal: &str) -> String {
    internal.replace('/', ".")
}

/// `a/b/C` for `a.b.C`.
pub(crate) fn slashed(name: &str) -> String {
    name.replace('.', "/")
}
