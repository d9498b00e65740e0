//! What an extension declares that it does.

use std::fmt;
use std::str::FromStr;

use crate::{Error, suggest};

/// How much a permission lets an extension do, the basis of policy defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Granted to everyone.
    Default,
    /// Reads about the process and its machine.
    Standard,
    /// Changes something, or reaches outside the process.
    Privileged,
}

macro_rules! permissions {
    ($($variant:ident $name:literal $class:ident $doc:literal,)*) => {
        /// One permission. Order is that of [`Permission::ALL`]: by class, then as documented.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Permission {
            $(#[doc = $doc] $variant,)*
        }

        impl Permission {
            /// Every permission.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in manifests, such as `FILE_READ`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The class of the permission.
            pub const fn class(self) -> Class {
                match self { $(Self::$variant => Class::$class,)* }
            }
        }
    };
}

permissions! {
    Messaging "MESSAGING" Default "Sends messages to the client.",
    Aggregation "AGGREGATION" Default "Keeps aggregated data.",
    JfrEvents "JFR_EVENTS" Default "Writes Flight Recorder events.",
    Profiling "PROFILING" Default "Uses the profiling utilities.",
    FileRead "FILE_READ" Standard "Reads files.",
    SystemProps "SYSTEM_PROPS" Standard "Reads system properties.",
    ThreadInfo "THREAD_INFO" Standard "Reads about threads.",
    MemoryInfo "MEMORY_INFO" Standard "Reads about memory.",
    FileWrite "FILE_WRITE" Privileged "Writes, creates or deletes files.",
    Network "NETWORK" Privileged "Opens or accepts connections.",
    Threads "THREADS" Privileged "Starts or controls threads.",
    Native "NATIVE" Privileged "Runs native code.",
    Exec "EXEC" Privileged "Starts processes.",
    Reflection "REFLECTION" Privileged "Reaches members by reflection.",
    Classloader "CLASSLOADER" Privileged "Loads or defines classes.",
    UnlimitedMemory "UNLIMITED_MEMORY" Privileged "Keeps unbounded data.",
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Permission {
    type Err = Error;

    /// Accepts any case, because a name that was written must never count for less than was meant.
    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.iter().copied().find(|permission| permission.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
            Error::UnknownPermission {
                name: name.to_owned(),
                nearest: suggest::nearest(name, Self::ALL.iter().map(|permission| permission.name())),
            }
        })
    }
}

/// Reads a comma-separated list: sorted, each permission once; blank items are skipped.
pub fn parse_list(text: &str) -> Result<Vec<Permission>, Error> {
    let mut permissions = text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(Permission::from_str)
        .collect::<Result<Vec<_>, _>>()?;
    permissions.sort_unstable();
    permissions.dedup();
    Ok(permissions)
}

/// Writes the list that [`parse_list`] reads.
pub fn format_list(permissions: &[Permission]) -> String {
    permissions.iter().map(|permission| permission.name()).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_in_any_case() {
        assert_eq!(Permission::ALL.len(), 16);
        for &permission in Permission::ALL {
            assert_eq!(permission.name().parse(), Ok(permission));
            assert_eq!(permission.name().to_lowercase().parse(), Ok(permission));
        }
    }

    #[test]
    fn classes_are_four_four_and_eight() {
        let count = |class| Permission::ALL.iter().filter(|permission| permission.class() == class).count();
        assert_eq!((count(Class::Default), count(Class::Standard), count(Class::Privileged)), (4, 4, 8));
        assert_eq!(Permission::Network.class(), Class::Privileged);
        assert_eq!(Permission::FileRead.class(), Class::Standard);
    }

    #[test]
    fn lists_are_sorted_and_without_repetition() {
        let list = parse_list(" threads, NETWORK ,,network,MESSAGING").unwrap();
        assert_eq!(list, [Permission::Messaging, Permission::Network, Permission::Threads]);
        assert_eq!(format_list(&list), "MESSAGING,NETWORK,THREADS");
        assert_eq!(parse_list(" "), Ok(Vec::new()));
    }

    #[test]
    fn an_unknown_name_is_an_error_with_the_nearest() {
        let error = parse_list("NETWORK,FILE_REED").unwrap_err();
        assert_eq!(error.to_string(), "unknown permission: `FILE_REED`");
        assert_eq!(error.hint().as_deref(), Some("did you mean `FILE_READ`?"));
        let error = "gpu".parse::<Permission>().unwrap_err();
        let hint = error.hint().unwrap();
        assert!(hint.starts_with("permissions are `MESSAGING`, `AGGREGATION`"), "{hint}");
        assert!(hint.ends_with("`UNLIMITED_MEMORY`"), "{hint}");
    }
}
