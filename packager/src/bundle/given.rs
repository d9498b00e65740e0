//! The rules for the API of an extension that is given as it is: one that somebody else may have built.

use std::collections::BTreeSet;

use super::closure::{self, World};
use super::error::Error;
use super::{packages, permissions};
use crate::base::Base;
use crate::class::dotted;
use crate::error::Result;
use crate::extension::Extension;
use crate::ops::scan::Scanned;

/// What API classes name and their users do not see.
#[derive(Debug)]
pub(crate) struct Unseen {
    /// Types that nobody on the bootstrap path sees.
    pub(crate) types: Vec<Error>,
    /// Types of the JDK that the bootstrap loader does not see from Java 9 on, a line each.
    pub(crate) modules: BTreeSet<String>,
}

/// What no API may be, however the extension was built: in packages of the JDK, or privileged.
pub(crate) fn refused(extension: &Extension, scanned: &Scanned) -> Vec<Error> {
    packages::of_jdk(extension).into_iter().chain(permissions::privileged_api(extension, scanned)).collect()
}

/// What the API of `extension` names beside itself, the agent in `base` and the API of `others`.
///
/// # Errors
/// A class cannot be read.
pub(crate) fn unseen<'a>(
    extension: &'a Extension,
    base: &Base,
    others: impl Iterator<Item = &'a Extension>,
) -> Result<Unseen> {
    let none = std::collections::BTreeMap::new();
    let world = World::new(extension.api.iter(), &none, &[], &[], base).given(others);
    let start = extension.api.iter().map(|class| dotted(&class.class.name));
    let (api, mut types) = closure::walk(start, &world)?;
    let own: BTreeSet<String> = extension.implementation.iter().map(|class| dotted(&class.class.name)).collect();
    for error in &mut types {
        if let Error::Leak { type_name, what, .. } = error
            && own.contains(type_name)
        {
            closure::IMPLEMENTATION.clone_into(what);
        }
    }
    Ok(Unseen { types, modules: api.warnings })
}
