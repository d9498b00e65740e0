//! Sets of permissions.

use manifests::permission::Permission;
use std::ops::BitOr;

/// A set of permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Permissions(u32);

impl Permissions {
    /// The set of these.
    pub fn of(permissions: &[Permission]) -> Self {
        Self(permissions.iter().fold(0, |bits, &permission| bits | 1 << permission as u32))
    }

    /// Whether it has `permission`.
    pub fn has(self, permission: Permission) -> bool {
        self.0 >> permission as u32 & 1 == 1
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The permissions in their order.
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        Permission::ALL.iter().copied().filter(move |&permission| self.has(permission))
    }
}

impl BitOr for Permissions {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
