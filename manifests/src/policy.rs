//! `permissions.properties`: which extensions may link their implementation.
//!
//! The rules, from the strongest:
//!
//! 1. `denyExtensions` denies an extension by its id.
//! 2. An extension that declares no permission data, or data that cannot be read, is denied: nobody knows what it does.
//! 3. A permission in `deny` denies every extension that declares it.
//! 4. A privileged permission denies the extension unless `grant` names the permission, `allowExtensions` names the extension,
//!    or `allowPrivileged` or `grantAll` is true.
//! 5. Everything else is granted; an extension that declares none of the above needs no entry.
//!
//! So whatever denies beats whatever allows, `grantAll` included. `sealed` says that later policies can only narrow this one:
//! see [`Effective`].

mod effective;
#[cfg(test)]
mod tests;
mod widening;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr as _;

pub use effective::Effective;
pub use widening::Widening;

use crate::extension::{ExtensionMetadata, check_id};
use crate::permission::{Class, Permission};
use crate::properties::Properties;
use crate::{Error, suggest};

/// Keys of `permissions.properties`, sorted.
pub const KEYS: &[&str] =
    &["allowExtensions", "allowPrivileged", "deny", "denyExtensions", "grant", "grantAll", "sealed"];

/// What lists take, in messages.
pub(crate) const PERMISSIONS: &str = "names of permissions";
pub(crate) const EXTENSIONS: &str = "ids of extensions";

/// What a key of [`KEYS`] takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// `true` or `false`.
    Flag,
    /// Names of permissions, separated by commas.
    Permissions,
    /// Ids of extensions, separated by commas.
    Extensions,
}

/// What a key takes; `None` for a key that a policy does not have.
pub fn takes(key: &str) -> Option<Takes> {
    match key {
        "allowPrivileged" | "grantAll" | "sealed" => Some(Takes::Flag),
        "deny" | "grant" => Some(Takes::Permissions),
        "allowExtensions" | "denyExtensions" => Some(Takes::Extensions),
        _ => None,
    }
}

/// A policy. The default one grants what is not privileged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// `sealed`: policies and arguments that come later can only narrow this one.
    pub sealed: bool,
    /// `grantAll`: every permission that nothing denies.
    pub grant_all: bool,
    /// `allowPrivileged`: every privileged permission that nothing denies.
    pub allow_privileged: bool,
    /// `grant`: permissions granted to every extension.
    pub grant: BTreeSet<Permission>,
    /// `deny`: permissions that no extension may have.
    pub deny: BTreeSet<Permission>,
    /// `allowExtensions`: ids of extensions that may have privileged permissions.
    pub allow_extensions: BTreeSet<String>,
    /// `denyExtensions`: ids of extensions that are off.
    pub deny_extensions: BTreeSet<String>,
}

/// Whether an extension may link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may.
    Granted,
    /// It may not.
    Denied {
        /// Everything that denies it, the strongest first; at least one.
        reasons: Vec<Reason>,
    },
}

/// Why an extension is denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// `denyExtensions` names it.
    Extension,
    /// It does not say which permissions it needs.
    Undeclared,
    /// What it says cannot be read; the text tells why.
    Unreadable(String),
    /// It declares permissions that `deny` names.
    Denied(Vec<Permission>),
    /// It declares privileged permissions that nothing grants.
    Privileged(Vec<Permission>),
}

impl Policy {
    /// Reads a `permissions.properties`.
    ///
    /// Fails for a key that a policy does not have, since it may have been meant to deny something, for an unknown permission,
    /// for something that cannot be the id of an extension, and for a flag that is neither `true` nor `false`. A caller
    /// that cannot read a policy denies.
    pub fn from_properties(properties: &Properties) -> Result<Self, Error> {
        let mut policy = Self::default();
        for (key, value) in properties.iter() {
            policy.set(key, value)?;
        }
        Ok(policy)
    }

    /// Writes the `permissions.properties` that [`Policy::from_properties`] reads: keys sorted, without those that are as in
    /// the default policy.
    pub fn to_properties(&self) -> Properties {
        let Self { sealed, grant_all, allow_privileged, grant, deny, allow_extensions, deny_extensions } = self;
        let flag = |flag: &bool| flag.then(|| "true".to_owned());
        let list = |items: Vec<&str>| (!items.is_empty()).then(|| items.join(","));
        let names = |set: &BTreeSet<Permission>| list(set.iter().map(|permission| permission.name()).collect());
        let ids = |set: &BTreeSet<String>| list(set.iter().map(String::as_str).collect());
        let values = [
            ids(allow_extensions),
            flag(allow_privileged),
            names(deny),
            ids(deny_extensions),
            names(grant),
            flag(grant_all),
            flag(sealed),
        ];
        KEYS.iter().zip(values).filter_map(|(key, value)| Some((key, value?))).collect()
    }

    /// Decides about an extension.
    pub fn decide(&self, extension: &ExtensionMetadata) -> Decision {
        self.decide_declared(&extension.id, Ok(extension.permissions.as_deref()))
    }

    /// Decides about an extension by its id and what reading its permission data gave: `None` for none at all, which is
    /// another thing than an empty list.
    pub fn decide_declared(&self, id: &str, declared: Result<Option<&[Permission]>, &Error>) -> Decision {
        let mut reasons = Vec::new();
        if self.deny_extensions.contains(id) {
            reasons.push(Reason::Extension);
        }
        match declared {
            Err(error) => reasons.push(Reason::Unreadable(error.to_string())),
            Ok(None) => reasons.push(Reason::Undeclared),
            Ok(Some(permissions)) => {
                let that = |test: &dyn Fn(Permission) -> bool| {
                    let found: BTreeSet<Permission> = permissions.iter().copied().filter(|p| test(*p)).collect();
                    found.into_iter().collect::<Vec<_>>()
                };
                let denied = that(&|permission| self.deny.contains(&permission));
                let missing = that(&|permission| !self.deny.contains(&permission) && !self.grants(id, permission));
                if !denied.is_empty() {
                    reasons.push(Reason::Denied(denied));
                }
                if !missing.is_empty() {
                    reasons.push(Reason::Privileged(missing));
                }
            }
        }
        if reasons.is_empty() { Decision::Granted } else { Decision::Denied { reasons } }
    }

    /// Which rule decides about one permission of an extension: whether it grants, and its words.
    pub fn because(&self, id: &str, permission: Permission) -> (bool, &'static str) {
        let rules = [
            (self.deny_extensions.contains(id), false, "`denyExtensions` names the extension"),
            (self.deny.contains(&permission), false, "`deny` names it"),
            (permission.class() != Class::Privileged, true, "not privileged"),
            (self.grant.contains(&permission), true, "`grant` names it"),
            (self.allow_extensions.contains(id), true, "`allowExtensions` names the extension"),
            (self.allow_privileged, true, "`allowPrivileged` is true"),
            (self.grant_all, true, "`grantAll` is true"),
        ];
        let first = rules.into_iter().find(|(holds, ..)| *holds);
        first.map_or((false, "nothing grants it"), |(_, grants, words)| (grants, words))
    }

    /// Whether an extension that is not denied as a whole may have a permission.
    fn grants(&self, id: &str, permission: Permission) -> bool {
        let granted = permission.class() != Class::Privileged
            || self.grant_all
            || self.allow_privileged
            || self.grant.contains(&permission)
            || self.allow_extensions.contains(id);
        granted && !self.deny.contains(&permission)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), Error> {
        match key {
            "sealed" => self.sealed = flag(key, value)?,
            "grantAll" => self.grant_all = flag(key, value)?,
            "allowPrivileged" => self.allow_privileged = flag(key, value)?,
            "grant" => self.grant = permissions(value)?,
            "deny" => self.deny = permissions(value)?,
            "allowExtensions" => self.allow_extensions = ids(value)?,
            "denyExtensions" => self.deny_extensions = ids(value)?,
            _ => {
                let nearest = suggest::nearest(key, KEYS.iter().copied());
                return Err(Error::PolicyKey { key: key.to_owned(), nearest });
            }
        }
        Ok(())
    }
}

impl Decision {
    /// Whether the extension may link.
    pub fn is_granted(&self) -> bool {
        matches!(self, Self::Granted)
    }

    /// What denies the extension; nothing where it may link.
    pub fn reasons(&self) -> &[Reason] {
        match self {
            Self::Granted => &[],
            Self::Denied { reasons } => reasons,
        }
    }
}

impl Reason {
    /// A word for the kind of reason, for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Extension => "extension-denied",
            Self::Undeclared => "permissions-undeclared",
            Self::Unreadable(_) => "permissions-unreadable",
            Self::Denied(_) => "permission-denied",
            Self::Privileged(_) => "permission-not-granted",
        }
    }

    /// The permissions that it is about.
    pub fn permissions(&self) -> &[Permission] {
        match self {
            Self::Denied(permissions) | Self::Privileged(permissions) => permissions,
            Self::Extension | Self::Undeclared | Self::Unreadable(_) => &[],
        }
    }

    /// The key of the policy that would have to change for the extension to be granted; `None` where no policy can.
    pub fn key(&self) -> Option<&'static str> {
        match self {
            Self::Extension => Some("denyExtensions"),
            Self::Denied(_) => Some("deny"),
            Self::Privileged(_) => Some("grant"),
            Self::Undeclared | Self::Unreadable(_) => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Extension => f.write_str("`denyExtensions` names it"),
            Self::Undeclared => f.write_str("it declares no permissions"),
            Self::Unreadable(why) => write!(f, "its permissions cannot be read: {why}"),
            Self::Denied(permissions) => write!(f, "`deny` names {}", quoted(permissions)),
            Self::Privileged(permissions) => write!(f, "nothing grants the privileged {}", quoted(permissions)),
        }
    }
}

/// Names of permissions for display.
fn quoted(permissions: &[Permission]) -> String {
    permissions.iter().map(|permission| format!("`{permission}`")).collect::<Vec<_>>().join(", ")
}

fn flag(key: &str, value: &str) -> Result<bool, Error> {
    match value.trim() {
        value if value.eq_ignore_ascii_case("true") => Ok(true),
        value if value.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(Error::PropertyValue { key: key.to_owned(), expected: "`true` or `false`", value: value.to_owned() }),
    }
}

fn items(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim).filter(|item| !item.is_empty())
}

fn permissions(value: &str) -> Result<BTreeSet<Permission>, Error> {
    items(value).map(Permission::from_str).collect()
}

fn ids(value: &str) -> Result<BTreeSet<String>, Error> {
    items(value).map(|id| check_id(id).map(|()| id.to_owned())).collect()
}
