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

/// What of an API class only its package can use.
struct Hidden {
    /// Whether the class itself is not public.
    class: bool,
    /// Names and descriptors of members.
    members: BTreeSet<(String, String)>,
}

/// Checks that the implementation uses of the API what is public or protected.
///
/// # Errors
/// A class uses more.
pub(super) fn check(extension: &Extension) -> Result<()> {
    let api: BTreeMap<String, Hidden> = extension
        .api
        .par_iter()
        .map(|class| Ok((class.class.name.clone(), hidden(class)?)))
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .collect();
    let found: Vec<Option<Error>> =
        extension.implementation.par_iter().map(|class| used(class, &api)).collect::<Result<_>>()?;
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

fn hidden(class: &ExtensionClass) -> Result<Hidden> {
    read(class, |file| {
        let within = |flags: u16| flags & (access::PUBLIC | access::PROTECTED) == 0;
        let members = file.fields().chain(file.methods()).filter(|member| within(member.access));
        let named = members.map(|member| Ok((text(member.name)?, text(member.descriptor)?)));
        let members = named.collect::<Result<_, classfile::Error>>()?;
        Ok(Hidden { class: within(file.access()), members })
    })
}

/// The first thing that an implementation class uses and does not reach.
fn used(class: &ExtensionClass, api: &BTreeMap<String, Hidden>) -> Result<Option<Error>> {
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
                    let Some(hidden) = api.get(text(member.class)?.as_str()) else { continue };
                    let pair = (text(member.name)?, text(member.descriptor)?);
                    if hidden.members.contains(&pair) {
                        return Ok(Some(refused(format!("{}.{}", dotted(&text(member.class)?), pair.0))));
                    }
                }
                _ => {}
            }
        }
        // A class that is named along with one nested in it is there for the sake of that one.
        let named = |name: &&String| !classes.iter().any(|other| is_nested(other, name));
        let found = classes.iter().filter(named).find(|name| api.get(*name).is_some_and(|hidden| hidden.class));
        Ok(found.map(|name| refused(dotted(name))))
    })
}
