//! What one policy grants beyond another.

use std::collections::BTreeSet;
use std::fmt;

use super::{Policy, quoted};
use crate::permission::Permission;

/// Something that a policy grants and another one does not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Widening {
    /// It is no longer sealed, so that files and arguments may grant anything.
    Unsealed,
    /// Permissions of every extension that neither policy names.
    Every(Vec<Permission>),
    /// Permissions of one extension, beyond those of every one.
    Extension {
        /// Its id.
        id: String,
        /// The permissions.
        permissions: Vec<Permission>,
    },
    /// An extension that was denied whatever it declares.
    Admitted {
        /// Its id.
        id: String,
    },
}

impl Policy {
    /// What `newer` grants and this policy does not; empty exactly where every extension that `newer` grants is granted by this
    /// one too, and a sealed policy stays sealed.
    pub fn widening(&self, newer: &Self) -> Vec<Widening> {
        let mut found = Vec::new();
        if self.sealed && !newer.sealed {
            found.push(Widening::Unsealed);
        }
        // An id that cannot be written stands for all that no list has.
        let every = self.wider("", newer);
        if !every.is_empty() {
            found.push(Widening::Every(every.clone()));
        }
        let lists = [&self.allow_extensions, &self.deny_extensions, &newer.allow_extensions, &newer.deny_extensions];
        let named: BTreeSet<&String> = lists.into_iter().flatten().collect();
        for id in named.into_iter().filter(|id| !newer.deny_extensions.contains(*id)) {
            if self.deny_extensions.contains(id) {
                found.push(Widening::Admitted { id: id.clone() });
                continue;
            }
            let mut permissions = self.wider(id, newer);
            permissions.retain(|permission| !every.contains(permission));
            if !permissions.is_empty() {
                found.push(Widening::Extension { id: id.clone(), permissions });
            }
        }
        found
    }

    fn wider(&self, id: &str, newer: &Self) -> Vec<Permission> {
        let wider = |permission: &Permission| newer.grants(id, *permission) && !self.grants(id, *permission);
        Permission::ALL.iter().copied().filter(wider).collect()
    }
}

impl fmt::Display for Widening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsealed => f.write_str("whatever a file or an argument grants, since it is not `sealed`"),
            Self::Every(permissions) => write!(f, "{} of every extension", quoted(permissions)),
            Self::Extension { id, permissions } => write!(f, "{} of extension `{id}`", quoted(permissions)),
            Self::Admitted { id } => write!(f, "extension `{id}`, which `denyExtensions` named"),
        }
    }
}
