//! Moves classes to other packages by rewriting the constant pool.
//!
//! [`Rules`] say which names move; [`relocate`] applies them to one class. What each text of the constant pool means is
//! told by its uses: names in class and package constants, descriptors, generic signatures, types in annotations and
//! Kotlin's metadata follow the rules; names of members, files and modules never do; string literals do under a policy
//! ([`Literals`]), and each one that mentions a name which moves is reported. A text with uses of both kinds is split.
//! Bytecode, and everything else that holds no text, is copied as it is.
//!
//! ```
//! use classfile::relocate::{Literals, Rules, relocate};
//!
//! let rules = Rules::new([("org.dep", "x.org.dep")])?;
//! # fn class() -> Vec<u8> {
//! #     let mut class = b"\xCA\xFE\xBA\xBE\0\0\0\x34\0\x05\x01\0\x09org/dep/A\x07\0\x01".to_vec();
//! #     class.extend(b"\x01\0\x10java/lang/Object\x07\0\x03\0\x21\0\x02\0\x04\0\0\0\0\0\0\0\0");
//! #     class
//! # }
//! let relocated = relocate(&class(), &rules, &Literals::OnlyDescriptors)?;
//! assert_eq!(relocated.name, b"x/org/dep/A");
//! // A class without a match has no new bytes: the old ones stay.
//! let again = relocate(&relocated.bytes.unwrap(), &rules, &Literals::OnlyDescriptors)?;
//! assert_eq!(again.bytes, None);
//! # Ok::<(), classfile::relocate::Error>(())
//! ```

mod attribute;
mod error;
mod glob;
mod literal;
mod native;
mod rules;
mod split;
mod switches;
mod table;
mod trie;
mod types;
mod walk;
mod write;

pub use error::Error;
pub use literal::{Known, Literal, Literals, Reason};
pub use native::{NativeMethod, native_methods};
pub use rules::{Collision, Rule, Rules};

use crate::mutf8;
use literal::{decide, mentions};
use rules::Edit;
use std::cell::Cell;
use switches::Switches;
use table::{Collect, Table, Text, big, role, u2, u4};
use walk::{Seen, walk};

/// First four bytes of every class file.
const MAGIC: u32 = 0xCAFE_BABE;

/// A class after relocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocated {
    /// The new class file; `None` if nothing in it moves, so that the old one stays byte for byte.
    pub bytes: Option<Vec<u8>>,
    /// Internal name of the class, new if it has moved, in modified UTF-8.
    pub name: Vec<u8>,
    /// Every literal that mentions a name which moves, changed or left.
    pub literals: Vec<Literal>,
    /// Attributes that this crate cannot see into, left as they were, if anything in the class moves.
    pub unseen: Vec<String>,
    /// Strings of Kotlin's metadata that changed.
    pub kotlin: usize,
}

impl Relocated {
    /// [`Self::name`] as text; `None` if that would lose something.
    pub fn name_str(&self) -> Option<&str> {
        mutf8::as_str(&self.name)
    }
}

/// Applies rules to a class.
///
/// # Errors
/// A class that breaks the format or uses constants of a newer one, and names that become too long.
pub fn relocate(class: &[u8], rules: &Rules, literals: &Literals<'_>) -> Result<Relocated, Error> {
    thread_local! {
        static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
    }
    // Taken out while in use, because the caller's closure may relocate another class.
    let mut scratch = SCRATCH.take().unwrap_or_else(Scratch::new);
    let result = scratch.relocate(class, rules, literals);
    SCRATCH.set(Some(scratch));
    result
}

/// A text that changes.
#[derive(Debug, Clone, Copy)]
struct Change {
    text: Text,
    with: With,
}

/// What takes the place of a text.
#[derive(Debug, Clone, Copy)]
enum With {
    /// Names within it, a range of [`Plan::edits`].
    Edits(u32, u32),
    /// One of [`Plan::owned`].
    Owned(u32),
}

/// All changes to a class.
#[derive(Debug, Default)]
struct Plan {
    /// In file order.
    changes: Vec<Change>,
    edits: Vec<Edit>,
    owned: Vec<Vec<u8>>,
    /// What each changed literal becomes.
    literals: Vec<(u16, Vec<u8>)>,
    /// Texts whose uses disagree.
    conflicts: Vec<Text>,
}

impl Plan {
    fn clear(&mut self) {
        self.changes.clear();
        self.edits.clear();
        self.owned.clear();
        self.literals.clear();
        self.conflicts.clear();
    }

    fn literal(&self, index: u16) -> Option<&[u8]> {
        self.literals.iter().find(|(i, _)| *i == index).map(|(_, new)| new.as_slice())
    }
}

/// Memory that is used for one class after another.
struct Scratch {
    table: Table,
    /// Roles of each text, see [`role`].
    roles: Box<[u8; 1 << 16]>,
    plan: Plan,
}

impl Scratch {
    fn new() -> Box<Self> {
        Box::new(Self { table: Table::new(), roles: big(0), plan: Plan::default() })
    }

    fn relocate(&mut self, bytes: &[u8], rules: &Rules, literals: &Literals<'_>) -> Result<Relocated, Error> {
        let seen = self.read(bytes).map_err(|source| Error::of(bytes, source))?;
        self.plan.clear();
        let mut report = Report { literals: Vec::new(), kotlin: 0 };
        let mut switches = Switches::new(bytes);
        for at in 0..self.table.texts.len() {
            self.plan_text(bytes, at, rules, literals, &mut switches, &mut report);
        }
        let new = if !self.plan.conflicts.is_empty() {
            Some(split::split(bytes, self, rules)?)
        } else if !self.plan.changes.is_empty() {
            Some(write::write(bytes, &self.table, rules, &self.plan, &[])?)
        } else {
            None
        };
        let fail = |source| Error::of(bytes, source);
        let old_name = self.table.class(bytes, seen.this_class).map_err(fail)?;
        let mut unseen = Vec::new();
        if new.is_some() {
            for &index in &seen.unknown {
                unseen.push(String::from_utf8_lossy(self.table.text(bytes, index).map_err(fail)?).into_owned());
            }
        }
        Ok(Relocated {
            bytes: new,
            name: rules.class(old_name).unwrap_or_else(|| old_name.to_vec()),
            literals: report.literals,
            unseen,
            kotlin: report.kotlin,
        })
    }

    /// Finds out what each text is used for.
    fn read(&mut self, bytes: &[u8]) -> Result<Seen, crate::Error> {
        let magic = u4(bytes, 0)?;
        if magic != MAGIC {
            return Err(crate::Error::Magic { expected: MAGIC, got: magic });
        }
        let count = usize::from(u2(bytes, 8)?);
        self.roles[..count].fill(0);
        let mut uses = Collect(&mut self.roles);
        self.table.read(bytes, &mut uses)?;
        walk(bytes, &mut self.table, &mut uses)
    }

    /// Plans what becomes of one text.
    #[inline]
    fn plan_text(
        &mut self,
        bytes: &[u8],
        at: usize,
        rules: &Rules,
        literals: &Literals<'_>,
        switches: &mut Switches<'_>,
        report: &mut Report,
    ) {
        let text = self.table.texts[at];
        let roles = self.roles[usize::from(text.index)];
        let content = text.of(bytes);
        let edits = &mut self.plan.edits;
        let start = edits.len();
        match roles {
            // The usual cases first: one use.
            0 | role::PLAIN => return,
            role::CLASS => types::class(rules, content, edits),
            role::DESCRIPTOR => types::descriptor(rules, content, edits),
            role::SIGNATURE => types::signature(rules, content, edits),
            _ => return self.plan_mixed(bytes, text, rules, literals, switches, report),
        }
        if edits.len() > start {
            let with = With::Edits(start as u32, edits.len() as u32);
            self.plan.changes.push(Change { text, with });
        }
    }

    fn plan_mixed(
        &mut self,
        bytes: &[u8],
        text: Text,
        rules: &Rules,
        literals: &Literals<'_>,
        switches: &mut Switches<'_>,
        report: &mut Report,
    ) {
        let roles = self.roles[usize::from(text.index)];
        let content = text.of(bytes);
        let mut stays = roles & (role::PLAIN | role::KOTLIN_DATA) != 0;
        let mut literal = None;
        if roles & (role::LITERAL | role::KOTLIN_DATA) != 0 {
            if mentions(rules, content) {
                literal = report.literal(rules, content, roles, literals, switches);
            }
            stays |= literal.is_none() && roles & role::LITERAL != 0;
        }
        // Every use as a name yields the same edits, or the text must be split.
        let edits = &mut self.plan.edits;
        let start = edits.len();
        let mut end = None;
        let mut agree = true;
        for role in [role::CLASS, role::DESCRIPTOR, role::SIGNATURE, role::PACKAGE, role::KOTLIN] {
            if roles & role == 0 {
                continue;
            }
            let from = edits.len();
            names(rules, role, content, edits);
            if let Some(end) = end {
                agree &= edits[start..end] == edits[from..];
                edits.truncate(end);
            } else {
                end = Some(edits.len());
            }
        }
        let changes = edits.len() > start;
        if roles & role::KOTLIN != 0 && changes {
            report.kotlin += 1;
        }
        if let Some(new) = &literal {
            agree &= roles & role::NAMES == 0 || rules.apply(content, &edits[start..]) == *new;
            self.plan.literals.push((text.index, new.clone()));
        }
        if !agree || (stays && (changes || literal.is_some())) {
            self.plan.conflicts.push(text);
        } else if changes {
            let with = With::Edits(start as u32, self.plan.edits.len() as u32);
            self.plan.changes.push(Change { text, with });
        } else if let Some(new) = literal {
            self.plan.changes.push(Change { text, with: With::Owned(self.plan.owned.len() as u32) });
            self.plan.owned.push(new);
        }
    }
}

/// Finds the names in a text that has the given role, one of [`role::NAMES`].
fn names(rules: &Rules, role: u8, content: &[u8], edits: &mut Vec<Edit>) {
    match role {
        role::CLASS => types::class(rules, content, edits),
        role::DESCRIPTOR => types::descriptor(rules, content, edits),
        role::SIGNATURE => types::signature(rules, content, edits),
        role::PACKAGE => types::package(rules, content, edits),
        _ => {
            // `types::embedded` looks at the end of what it is given.
            let mut own = Vec::new();
            types::embedded(rules, content, &mut own);
            edits.append(&mut own);
        }
    }
}

/// What is told about a class.
struct Report {
    literals: Vec<Literal>,
    kotlin: usize,
}

impl Report {
    /// Decides about a literal, or encoded data, and reports it; returns what it becomes.
    #[cold]
    fn literal(
        &mut self,
        rules: &Rules,
        content: &[u8],
        roles: u8,
        literals: &Literals<'_>,
        switches: &mut Switches<'_>,
    ) -> Option<Vec<u8>> {
        let (new, reason) = if roles & role::LITERAL == 0 {
            (None, Reason::KotlinData)
        } else {
            decide(rules, content, literals, switches)
        };
        let shown = |bytes: &[u8]| match mutf8::decode_lossy(bytes) {
            Ok(text) => text.into_owned(),
            Err(_) => String::from_utf8_lossy(bytes).into_owned(),
        };
        self.literals.push(Literal { text: shown(content), replaced: new.as_deref().map(shown), reason });
        new
    }
}
