//! The rules: which classes and members of the JDK need which permission, and why.
//!
//! One table, in parts. The rules of `BTrace` that go by the owner of a call are its floor; where a member cannot do what the
//! class can, the table says so with an empty list of permissions.

mod files;
mod lang;
mod net;
mod other;
mod reflection;
mod threads;

use manifests::permission::Permission;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What has to be known of the arguments of a call before its permissions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Nothing.
    None,
    /// The last argument is a mode as `RandomAccessFile` takes it: the constant `r` only reads.
    Mode,
    /// The last argument is an array of open options: if all are the constant `READ`, it only reads.
    Options,
    /// The first argument names a class; one that is computed cannot be scanned.
    ClassByName,
    /// The receiver is a class and the first argument, a name, a member of it; computed ones cannot be scanned.
    MemberByName,
    /// As [`Check::MemberByName`], with the class as the first argument and the name as the second.
    HandleByName,
    /// As [`Check::HandleByName`], without a name: a constructor.
    ConstructorHandle,
    /// The receiver is a class that is instantiated, or whose constructor is looked up; a computed one cannot be scanned.
    Receiver,
    /// Whatever the arguments, what runs then cannot be known.
    Unscannable,
    /// Providers of the service that the first argument names are made.
    Providers,
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// A class, or a package with everything below it, which ends with `/`; internal names.
    pub owner: &'static str,
    /// Members that it speaks of; none means the class as a whole: each member, instances, subclasses, and the class constant.
    pub members: &'static [&'static str],
    /// What the descriptor of the member begins with.
    pub descriptor: &'static str,
    /// What else decides.
    pub check: Check,
    /// What it needs; nothing for members that the other rules of their owner would wrongly include.
    pub permissions: &'static [Permission],
    /// Why.
    pub why: &'static str,
}

impl Rule {
    /// A rule for whole classes or packages.
    const fn all(owner: &'static str, permissions: &'static [Permission], why: &'static str) -> Self {
        Self { owner, members: &[], descriptor: "", check: Check::None, permissions, why }
    }

    /// A rule for some members.
    const fn of(
        owner: &'static str,
        members: &'static [&'static str],
        permissions: &'static [Permission],
        why: &'static str,
    ) -> Self {
        Self { owner, members, descriptor: "", check: Check::None, permissions, why }
    }

    /// A rule for members that are harmless although their owner is not.
    const fn harmless(owner: &'static str, members: &'static [&'static str], why: &'static str) -> Self {
        Self::of(owner, members, &[], why)
    }

    const fn with(mut self, check: Check) -> Self {
        self.check = check;
        self
    }

    const fn taking(mut self, descriptor: &'static str) -> Self {
        self.descriptor = descriptor;
        self
    }

    /// Whether it speaks of the owner as a whole.
    pub fn is_whole(&self) -> bool {
        self.members.is_empty()
    }

    fn speaks_of(&self, name: &[u8], descriptor: &[u8]) -> bool {
        self.members.iter().any(|member| member.as_bytes() == name)
            && descriptor.starts_with(self.descriptor.as_bytes())
    }
}

/// The whole table, in its parts. Of the rules of one owner the first that speaks of a member counts.
pub static TABLE: [&[Rule]; 6] =
    [files::RULES, net::RULES, threads::RULES, lang::RULES, reflection::RULES, other::RULES];

/// Methods that every object has, and that do not do what the rest of their class does.
const OF_OBJECTS: [&[u8]; 7] = [b"toString", b"hashCode", b"equals", b"getClass", b"notify", b"notifyAll", b"wait"];

/// The rules of one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    /// Range of [`Book::rules`].
    start: u32,
    end: u32,
    /// The [`mark`]s of all members that they name.
    members: u64,
}

/// One bit that tells most names from each other.
#[inline]
fn mark(name: &[u8]) -> u64 {
    let (first, last) = (name.first().copied().unwrap_or(0), name.last().copied().unwrap_or(0));
    1 << ((usize::from(first) * 7 + usize::from(last) * 3 + name.len()) % 64)
}

/// The table, prepared for look-ups.
#[derive(Debug)]
pub(crate) struct Book {
    rules: Vec<&'static Rule>,
    classes: FxHashMap<&'static [u8], Owner>,
    /// Longest first, so that the nearest package counts.
    packages: Vec<(&'static [u8], Owner)>,
}

/// The prepared table.
pub(crate) static BOOK: LazyLock<Book> = LazyLock::new(Book::new);

impl Book {
    fn new() -> Self {
        let all = || TABLE.iter().flat_map(|part| part.iter());
        // Stable: the order of one owner's rules is kept.
        let mut by_owner: BTreeMap<&'static str, Vec<&'static Rule>> = BTreeMap::new();
        for rule in all() {
            by_owner.entry(rule.owner).or_default().push(rule);
        }
        let mut book = Self { rules: Vec::new(), classes: FxHashMap::default(), packages: Vec::new() };
        for (name, mut rules) in by_owner {
            if !name.ends_with('/') && !rules.iter().any(|rule| rule.is_whole()) {
                // What the table says of some members of a class does not take the others out of their package.
                let packages = all().filter(|rule| rule.owner.ends_with('/') && rule.is_whole());
                let around = packages.filter(|rule| name.starts_with(rule.owner)).max_by_key(|rule| rule.owner.len());
                rules.extend(around);
            }
            let start = book.rules.len() as u32;
            book.rules.append(&mut rules);
            let end = book.rules.len() as u32;
            let named = book.rules[start as usize..].iter().flat_map(|rule| rule.members);
            let owner = Owner { start, end, members: named.fold(0, |all, member| all | mark(member.as_bytes())) };
            if name.ends_with('/') {
                book.packages.push((name.as_bytes(), owner));
            } else {
                book.classes.insert(name.as_bytes(), owner);
            }
        }
        book.packages.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        book
    }

    /// The rules of a class, by its internal name.
    #[inline]
    pub(crate) fn owner(&self, class: &[u8]) -> Option<Owner> {
        // Everything the table knows begins so; most names of a pool do not.
        if !matches!(
            class,
            [b'j', b'a' | b'd', ..]
                | [b's', b'u', b'n', ..]
                | [b'c', b'o', b'm', b'/', b's', ..]
                | [b'i', b'o', b'/', b'b', ..]
                | [b'o', b'r', b'g', b'/', b'x', ..]
        ) {
            return None;
        }
        if let Some(&owner) = self.classes.get(class) {
            return Some(owner);
        }
        self.packages.iter().find(|(package, _)| class.starts_with(package)).map(|&(_, owner)| owner)
    }

    fn rules(&self, owner: Owner) -> &[&'static Rule] {
        &self.rules[owner.start as usize..owner.end as usize]
    }

    /// The rule for the owner as a whole.
    pub(crate) fn whole(&self, owner: Owner) -> Option<&'static Rule> {
        self.rules(owner).iter().copied().find(|rule| rule.is_whole() && !rule.permissions.is_empty())
    }

    /// The rule for a member. One without permissions and check is none.
    pub(crate) fn member(&self, owner: Owner, name: &[u8], descriptor: &[u8]) -> Option<&'static Rule> {
        let rules = self.rules(owner);
        let of_member = || rules.iter().copied().find(|rule| rule.speaks_of(name, descriptor));
        // Most members of `Class` and `System` are ones that no rule names.
        let of_member = if owner.members & mark(name) == 0 { None } else { of_member() };
        let rule = of_member.or_else(|| {
            let whole = rules.iter().copied().find(|rule| rule.is_whole())?;
            (!OF_OBJECTS.contains(&name)).then_some(whole)
        })?;
        (!rule.permissions.is_empty() || rule.check != Check::None).then_some(rule)
    }

    /// The rules for members of that name, whatever their descriptor: for look-ups by name.
    pub(crate) fn named(&self, owner: Owner, name: &[u8]) -> impl Iterator<Item = &'static Rule> {
        let rules = self.rules(owner);
        let mut found: Vec<_> =
            rules.iter().copied().filter(|rule| rule.members.iter().any(|member| member.as_bytes() == name)).collect();
        if found.is_empty() && !OF_OBJECTS.contains(&name) {
            found.extend(rules.iter().copied().find(|rule| rule.is_whole()));
        }
        found.into_iter().filter(|rule| !rule.permissions.is_empty() || rule.check != Check::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_owner_can_be_found() {
        for rule in TABLE.iter().flat_map(|part| part.iter()) {
            let class = if rule.owner.ends_with('/') { format!("{}Some", rule.owner) } else { rule.owner.to_owned() };
            assert!(BOOK.owner(class.as_bytes()).is_some(), "{}", rule.owner);
            assert!(!rule.why.is_empty() && !rule.owner.contains('.'), "{}", rule.owner);
        }
    }

    #[test]
    fn a_member_is_that_of_its_own_rule_first() {
        let permissions = |class: &str, name: &str, descriptor: &str| {
            let owner = BOOK.owner(class.as_bytes())?;
            BOOK.member(owner, name.as_bytes(), descriptor.as_bytes()).map(|rule| rule.permissions)
        };
        assert_eq!(permissions("java/lang/Runtime", "exec", "(Ljava/lang/String;)"), Some(&[Permission::Exec][..]));
        assert_eq!(permissions("java/lang/Runtime", "getRuntime", "()Ljava/lang/Runtime;"), None);
        assert_eq!(permissions("java/net/URI", "create", "()"), None);
        assert_eq!(permissions("java/net/http/HttpClient", "send", "()"), Some(&[Permission::Network][..]));
        assert_eq!(permissions("java/lang/Thread", "toString", "()Ljava/lang/String;"), None);
        assert_eq!(permissions("java/util/concurrent/ConcurrentHashMap", "get", "()"), None);
        assert_eq!(permissions("java/lang/String", "length", "()I"), None);
        // Members that the table does not name belong to the package still.
        let bean = "com/sun/management/HotSpotDiagnosticMXBean";
        assert_eq!(permissions(bean, "setVMOption", "()"), Some(&[Permission::MemoryInfo][..]));
        let dump = permissions(bean, "dumpHeap", "(Ljava/lang/String;Z)V");
        assert_eq!(dump, Some(&[Permission::MemoryInfo, Permission::FileWrite][..]));
        assert_eq!(permissions("jdk/internal/misc/Unsafe", "getInt", "()I"), Some(&[Permission::Native][..]));
    }
}
