//! The one pass over each class: what it uses that needs permissions.

use crate::Error;
use crate::classes::{Classes, Entry};
use crate::constants;
use crate::outcome::{Blind, Found, NO_METHOD, Raw, Target};
use crate::permissions::Permissions;
use crate::report::Use;
use crate::rules::{BOOK, Check, Owner, Rule};
use classfile::access;
use classfile::bytecode::{self, Bytecode};
use classfile::reader::{Bootstrap, tag};
use manifests::permission::Permission;
use rayon::prelude::*;

/// Classes that one task looks at, so that its scratch space pays off.
const CHUNK: usize = 128;

/// How deep constants may be computed from each other.
const DEPTH: usize = 16;

/// Looks at every class.
pub(crate) fn all(set: &Classes<'_>) -> Result<Found, Error> {
    let count = set.entries.len();
    let chunks: Vec<Found> = (0..count.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut found = Found::default();
            let mut verdicts = Verdicts::default();
            for class in chunk * CHUNK..count.min((chunk + 1) * CHUNK) {
                let fail = |source| Error { class, source };
                Pass::new(set, class as u32, &mut verdicts, &mut found).run().map_err(fail)?;
            }
            Ok(found)
        })
        .collect::<Result<_, Error>>()?;
    let mut all = Found::default();
    for chunk in chunks {
        all.append(chunk);
    }
    Ok(all)
}

/// The rule of each constant of a class: of a class as a whole, or of a member.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    /// For each constant one more than an index of `owners`, and of `rules` once decided; 0 for most.
    marks: Vec<u16>,
    owners: Vec<(u16, Ruled)>,
    rules: Vec<&'static Rule>,
    members: Vec<(u16, &'static Rule)>,
}

/// Why a class is of interest.
#[derive(Debug, Clone, Copy)]
enum Ruled {
    /// There are rules for it.
    Owner(Owner),
    /// It is a scanned class that inherits from one.
    Heir(u32),
}

impl Verdicts {
    /// Decides about each constant; whether there is a rule for any.
    fn decide(&mut self, set: &Classes<'_>, class: u32) -> Result<bool, classfile::Error> {
        self.owners.clear();
        self.rules.clear();
        for named in set.named(class) {
            if let Some(owner) = set.ruled(named.name) {
                self.owners.push((named.constant, Ruled::Owner(owner)));
            } else if let Some(heir) = set.heir(named.name) {
                self.owners.push((named.constant, Ruled::Heir(heir)));
            }
        }
        if self.owners.is_empty() {
            return Ok(false);
        }
        let pool = set.entry(class).file.pool();
        self.marks.clear();
        self.marks.resize(usize::from(pool.len()), 0);
        for (number, &(index, _)) in self.owners.iter().enumerate() {
            self.marks[usize::from(index)] = number as u16 + 1;
        }
        self.members.clear();
        for index in 1..pool.len() {
            let Some(class) = pool.member_class(index) else { continue };
            let mark = self.marks.get(usize::from(class)).copied().unwrap_or(0);
            let Some(&(_, ruled)) = mark.checked_sub(1).and_then(|number| self.owners.get(usize::from(number))) else {
                continue;
            };
            let member = pool.member_ref(index)?;
            let rule = match ruled {
                Ruled::Owner(owner) => BOOK.member(owner, member.name, member.descriptor),
                Ruled::Heir(heir) => inherited(set, heir, member.name, member.descriptor),
            };
            self.members.extend(rule.map(|rule| (index, rule)));
        }
        // From here on the marks are those of rules.
        for &(index, ruled) in &self.owners {
            let rule = if let Ruled::Owner(owner) = ruled { BOOK.whole(owner) } else { None };
            self.marks[usize::from(index)] = rule.map_or(0, |rule| {
                self.rules.push(rule);
                self.rules.len() as u16
            });
        }
        for &(index, rule) in &self.members {
            self.rules.push(rule);
            self.marks[usize::from(index)] = self.rules.len() as u16;
        }
        Ok(!self.rules.is_empty())
    }

    pub(crate) fn rule(&self, index: u16) -> Option<&'static Rule> {
        let mark = self.marks.get(usize::from(index)).copied().unwrap_or(0);
        mark.checked_sub(1).map(|number| self.rules[usize::from(number)])
    }
}

/// The rule of a member that a scanned class does not declare but inherits from outside.
fn inherited(set: &Classes<'_>, class: u32, name: &[u8], descriptor: &[u8]) -> Option<&'static Rule> {
    let mut owners = set.inherited(class).iter();
    let rule = owners.find_map(|&owner| BOOK.member(owner, name, descriptor))?;
    // A descriptor of a method begins with a parenthesis.
    let own = if descriptor.starts_with(b"(") {
        set.resolve(class, name, descriptor).is_some()
    } else {
        set.has_field(class, name, descriptor)
    };
    (!own).then_some(rule)
}

/// One class.
struct Pass<'p, 's> {
    set: &'p Classes<'s>,
    class: u32,
    entry: &'p Entry<'s>,
    verdicts: &'p mut Verdicts,
    found: &'p mut Found,
    bootstraps: Option<Vec<Bootstrap<'s>>>,
}

impl<'p, 's> Pass<'p, 's> {
    fn new(set: &'p Classes<'s>, class: u32, verdicts: &'p mut Verdicts, found: &'p mut Found) -> Self {
        Self { set, class, entry: set.entry(class), verdicts, found, bootstraps: None }
    }

    fn run(&mut self) -> Result<(), classfile::Error> {
        self.natives();
        if !self.verdicts.decide(self.set, self.class)? {
            return Ok(());
        }
        self.superclass();
        for method in self.set.methods_of(self.class) {
            if let Some(code) = self.set.code(self.class, method) {
                self.method(method, code)?;
            }
        }
        Ok(())
    }

    fn natives(&mut self) {
        for method in self.set.methods_of(self.class) {
            if self.set.method(method).access & access::NATIVE != 0 {
                self.found.findings.push(Raw {
                    class: self.class,
                    method,
                    how: Use::NativeMethod,
                    permissions: Permissions::of(&[Permission::Native]),
                    target: Target::Text("a library".into()),
                    why: "runs native code",
                });
            }
        }
    }

    fn superclass(&mut self) {
        let Some(name) = self.entry.file.super_name() else { return };
        let Some(rule) = BOOK.owner(name).and_then(|owner| BOOK.whole(owner)) else { return };
        let target = Target::Text(String::from_utf8_lossy(name).replace('/', "."));
        self.add(NO_METHOD, Use::Subclass, rule, target);
    }

    fn add(&mut self, method: u32, how: Use, rule: &'static Rule, target: Target) {
        let permissions = Permissions::of(rule.permissions);
        if !permissions.is_empty() {
            self.found.findings.push(Raw { class: self.class, method, how, permissions, target, why: rule.why });
        }
    }

    fn method(&mut self, method: u32, code: &'s [u8]) -> Result<(), classfile::Error> {
        let class = self.class;
        let blind = |why: String| Blind { class, method, target: Target::Text("bytecode".into()), why };
        let code = match Bytecode::parse(code) {
            Ok(code) => code,
            Err(skip) => {
                self.found.blind.push(blind(skip.to_string()));
                return Ok(());
            }
        };
        let mut checked = false;
        // Classes that are made without a call of their constructor, which no compiler writes.
        let mut made: Vec<u16> = Vec::new();
        for used in code.uses() {
            let used = match used {
                Ok(used) => used,
                Err(skip) => {
                    self.found.blind.push(blind(skip.to_string()));
                    break;
                }
            };
            match used {
                bytecode::Use::Call(_, index) => {
                    let Some(rule) = self.verdicts.rule(index) else { continue };
                    made.retain(|&class| self.entry.file.pool().member_class(index) != Some(class));
                    if rule.check == Check::None {
                        self.add(method, Use::Call, rule, Target::Constant(index));
                    } else {
                        checked = true;
                    }
                }
                bytecode::Use::StaticField(index) | bytecode::Use::Field(index) => {
                    if let Some(rule) = self.verdicts.rule(index) {
                        self.add(method, Use::Field, rule, Target::Constant(index));
                    }
                }
                bytecode::Use::New(index) if self.verdicts.rule(index).is_some() => made.push(index),
                bytecode::Use::New(_) => {}
                bytecode::Use::Constant(index) => self.constant(method, index, DEPTH)?,
                bytecode::Use::Dynamic(index) => self.dynamic(method, index, DEPTH)?,
            }
        }
        for class in made {
            if let Some(rule) = self.verdicts.rule(class) {
                self.add(method, Use::Instance, rule, Target::Constant(class));
            }
        }
        if checked {
            constants::run(self.set, self.class, method, code, self.verdicts, self.found);
        }
        Ok(())
    }

    /// A constant that is pushed, or handed to a bootstrap method.
    fn constant(&mut self, method: u32, index: u16, depth: usize) -> Result<(), classfile::Error> {
        match self.entry.file.pool().tag(index) {
            Some(tag::CLASS) => {
                if let Some(rule) = self.verdicts.rule(index) {
                    self.add(method, Use::ClassConstant, rule, Target::Constant(index));
                }
            }
            Some(tag::METHOD_HANDLE) => {
                let (_, member) = self.entry.file.pool().method_handle(index)?;
                let Some(rule) = self.verdicts.rule(member) else { return Ok(()) };
                if rule.check == Check::None {
                    self.add(method, Use::Handle, rule, Target::Constant(member));
                } else {
                    constants::unknown(self.set, self.class, method, member, rule, self.found);
                }
            }
            Some(tag::DYNAMIC) => self.dynamic(method, index, depth)?,
            _ => {}
        }
        Ok(())
    }

    /// The handles and classes that a bootstrap method gets.
    fn dynamic(&mut self, method: u32, index: u16, depth: usize) -> Result<(), classfile::Error> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
        let dynamic = self.entry.file.pool().dynamic(index)?;
        if self.bootstraps.is_none() {
            self.bootstraps = Some(self.entry.file.bootstrap_methods()?);
        }
        let known = self.bootstraps.as_ref().and_then(|known| known.get(usize::from(dynamic.bootstrap)).copied());
        let Some(bootstrap) = known else { return Ok(()) };
        for constant in std::iter::once(bootstrap.handle).chain(bootstrap.arguments()) {
            self.constant(method, constant, depth)?;
        }
        Ok(())
    }
}
