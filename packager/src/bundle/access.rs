//! What an implementation may use of its API. Both may share a package by name, but never at run time: the bootstrap loader
//! has one half and the extension's own loader the other, so that nothing that is private to the package is within reach.

use std::collections::{BTreeMap, BTreeSet};

use classfile::{ClassFile, access, mutf8, reader::tag};
use rayon::prelude::*;

use super::closure::is_nested;
use super::error::Error;
use crate::class::dotted;
use crate::error::Result;
use crate::extension::{Extension, ExtensionClass};

/// What a class of the extension has, as far as it matters to those who use it.
struct Class {
    /// Whether it is of the API.
    is_api: bool,
    /// Whether only its package can use the class itself.
    is_hidden: bool,
    /// The superclass, by its internal name.
    superclass: Option<String>,
    /// Names and descriptors of its members, with their access flags.
    members: BTreeMap<(String, String), u16>,
}

/// All classes of the extension by internal name.
type Classes = BTreeMap<String, Class>;

/// Checks that the implementation uses of the API what is public, or protected and inherited.
///
/// # Errors
/// A class uses more.
pub(super) fn check(extension: &Extension) -> Result<()> {
    let all = extension.api.par_iter().map(|class| (class, true));
    let all = all.chain(extension.implementation.par_iter().map(|class| (class, false)));
    let classes: Vec<(String, Class)> =
        all.map(|(class, is_api)| Ok((class.class.name.clone(), summary(class, is_api)?))).collect::<Result<_>>()?;
    let classes: Classes = classes.into_iter().collect();
    let found: Vec<Option<Error>> =
        extension.implementation.par_iter().map(|class| used(class, &classes)).collect::<Result<_>>()?;
    found.into_iter().flatten().next().map_or(Ok(()), |error| Err(error.into()))
}

fn read<T>(class: &ExtensionClass, look: impl FnOnce(&ClassFile<'_>) -> Result<T, classfile::Error>) -> Result<T> {
    let bytes = class.content.read()?;
    ClassFile::parse(&bytes).and_then(|file| look(&file)).map_err(|source| crate::error::Error::Class {
        origin: Box::new(class.origin.clone()),
        source: Box::new(source),
    })
}

fn text(bytes: &[u8]) -> Result<String, classfile::Error> {
    mutf8::decode(bytes).map(std::borrow::Cow::into_owned)
}

fn summary(class: &ExtensionClass, is_api: bool) -> Result<Class> {
    read(class, |file| {
        let members = file.fields().chain(file.methods());
        let members = members.map(|member| Ok(((text(member.name)?, text(member.descriptor)?), member.access)));
        Ok(Class {
            is_api,
            is_hidden: file.access() & (access::PUBLIC | access::PROTECTED) == 0,
            superclass: file.super_name().map(text).transpose()?,
            members: members.collect::<Result<_, classfile::Error>>()?,
        })
    })
}

/// A class of the extension and the superclasses of it that are the extension's too, the class itself first.
fn chain<'c>(classes: &'c Classes, class: &'c str) -> impl Iterator<Item = (&'c str, &'c Class)> {
    let next = |name: &'c str| classes.get_key_value(name).map(|(name, class)| (name.as_str(), class));
    // A class cannot be its own superclass; a file may say so.
    std::iter::successors(next(class), move |(_, class)| next(class.superclass.as_deref()?)).take(classes.len())
}

/// The API class whose member `user` means by `owner`, `name` and `descriptor` and does not reach; the first class that has
/// the member is meant, whoever may use it. Members of interfaces are public, or private and never inherited.
fn out_of_reach<'c>(classes: &'c Classes, user: &str, owner: &'c str, member: &(String, String)) -> Option<&'c str> {
    let (declaring, class, flags) =
        chain(classes, owner).find_map(|(name, class)| Some((name, class, *class.members.get(member)?)))?;
    let reached = match flags & (access::PUBLIC | access::PROTECTED) {
        0 => false,
        access::PROTECTED => chain(classes, user).any(|(name, _)| name == declaring),
        _ => true,
    };
    (class.is_api && !reached).then_some(declaring)
}

/// The first thing that an implementation class uses and does not reach.
fn used(class: &ExtensionClass, all: &Classes) -> Result<Option<Error>> {
    let name = &class.class.name;
    let refused =
        |used: String| Error::OutOfReach { class: dotted(name), used, origin: Box::new(class.origin.clone()) };
    read(class, |file| {
        let pool = file.pool();
        let mut classes = BTreeSet::new();
        for index in 1..pool.len() {
            match pool.tag(index) {
                Some(tag::CLASS) => drop(classes.insert(text(pool.class_name(index)?)?)),
                Some(tag::FIELD | tag::METHOD | tag::INTERFACE_METHOD) => {
                    let member = pool.member_ref(index)?;
                    let owner = text(member.class)?;
                    let pair = (text(member.name)?, text(member.descriptor)?);
                    if let Some(declaring) = out_of_reach(all, name, &owner, &pair) {
                        return Ok(Some(refused(format!("{}.{}", dotted(declaring), pair.0))));
                    }
                }
                _ => {}
            }
        }
        // A class that is named along with one nested in it is there for the sake of that one.
        let named = |name: &&String| !classes.iter().any(|other| is_nested(other, name));
        let hidden = |name: &&String| all.get(*name).is_some_and(|class| class.is_api && class.is_hidden);
        let found = classes.iter().filter(named).find(hidden);
        Ok(found.map(|name| refused(dotted(name))))
    })
}
