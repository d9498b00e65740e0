//! What a scan tells.

use crate::classes::Classes;
use crate::outcome::{Found, NO_METHOD, Target};
use crate::permissions::Permissions;
use crate::reach::Reached;
use classfile::{mutf8, reader::tag};
use manifests::permission::Permission;
use std::collections::BTreeSet;

/// How something is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// It is called.
    Call,
    /// A method handle names it: a method reference, or a constant that is computed when first used.
    Handle,
    /// A field is read or written.
    Field,
    /// An instance is made.
    Instance,
    /// A class extends it.
    Subclass,
    /// A class constant names it.
    ClassConstant,
    /// A constant text names it, for reflection.
    Name,
    /// A method is implemented by a library.
    NativeMethod,
}

impl Use {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Handle => "method handle",
            Self::Field => "field",
            Self::Instance => "instance",
            Self::Subclass => "subclass",
            Self::ClassConstant => "class constant",
            Self::Name => "name",
            Self::NativeMethod => "native method",
        }
    }
}

/// One use of something that needs permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it needs; at least one.
    pub permissions: Permissions,
    /// Index of the class in the input.
    pub input: usize,
    /// The class, dotted.
    pub class: String,
    /// The method with its descriptor; `None` for what the class itself is.
    pub method: Option<String>,
    /// How it is used.
    pub how: Use,
    /// What is used: a class, or class and member.
    pub target: String,
    /// Why the rule is there.
    pub why: &'static str,
    /// Whether the roots reach it; without roots, everything is reached.
    pub reachable: bool,
    /// Methods from a root to this one, `Class.method`; empty if it is not reached or there are no roots.
    pub path: Vec<String>,
}

/// Code whose effect cannot be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unscannable {
    /// Index of the class in the input.
    pub input: usize,
    /// The class, dotted.
    pub class: String,
    /// The method with its descriptor.
    pub method: Option<String>,
    /// What it uses.
    pub target: String,
    /// Why that cannot be scanned.
    pub why: String,
    /// Whether the roots reach it; without roots, everything is reached.
    pub reachable: bool,
}

/// Everything that a scan found, in the order of the classes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Uses of what needs permissions, each once a method.
    pub findings: Vec<Finding>,
    /// What cannot be scanned.
    pub unscannable: Vec<Unscannable>,
    /// Methods that the roots reach, of how many with code; `None` without roots.
    pub reached: Option<(usize, usize)>,
}

impl Report {
    /// All permissions that some class needs.
    pub fn present(&self) -> Vec<Permission> {
        self.set(|_| true).iter().collect()
    }

    /// The permissions that the roots reach.
    pub fn reachable(&self) -> Vec<Permission> {
        self.set(|finding| finding.reachable).iter().collect()
    }

    /// Whether the roots reach something that cannot be scanned.
    pub fn is_unscannable(&self) -> bool {
        self.unscannable.iter().any(|blind| blind.reachable)
    }

    /// What a manifest declares: what is reached, or everything where the roots reach something that cannot be scanned.
    pub fn declared(&self) -> Vec<Permission> {
        if self.is_unscannable() { self.present() } else { self.reachable() }
    }

    fn set(&self, counts: impl Fn(&Finding) -> bool) -> Permissions {
        let findings = self.findings.iter().filter(|finding| counts(finding));
        findings.fold(Permissions::default(), |set, finding| set | finding.permissions)
    }
}

/// Puts names to what was found.
pub(crate) fn build(set: &Classes<'_>, found: Found, reached: Option<&Reached>) -> Report {
    let mut report = Report { reached: reached.map(|reached| reached.counts(set)), ..Report::default() };
    let is_reached = |class, method| reached.is_none_or(|reached| reached.has(class, method));
    let mut seen = BTreeSet::new();
    for raw in &found.findings {
        let target = target(set, raw.class, &raw.target);
        // One call may read and another one of the same method write.
        if !seen.insert((raw.class, raw.method, raw.how, target.clone(), raw.permissions)) {
            continue;
        }
        let reachable = is_reached(raw.class, raw.method);
        report.findings.push(Finding {
            permissions: raw.permissions,
            input: raw.class as usize,
            class: class_name(set, raw.class),
            method: method_name(set, raw.class, raw.method),
            how: raw.how,
            target,
            why: raw.why,
            reachable,
            path: reached.filter(|_| reachable).map_or_else(Vec::new, |reached| {
                reached.path(raw.class, raw.method).into_iter().map(|method| call_name(set, method)).collect()
            }),
        });
    }
    let mut seen = BTreeSet::new();
    for blind in found.blind {
        let target = target(set, blind.class, &blind.target);
        if seen.insert((blind.class, blind.method, target.clone(), blind.why.clone())) {
            report.unscannable.push(Unscannable {
                input: blind.class as usize,
                class: class_name(set, blind.class),
                method: method_name(set, blind.class, blind.method),
                target,
                why: blind.why,
                reachable: is_reached(blind.class, blind.method),
            });
        }
    }
    report
}

fn text(bytes: &[u8]) -> String {
    mutf8::decode_lossy(bytes)
        .map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), std::borrow::Cow::into_owned)
}

fn dotted(bytes: &[u8]) -> String {
    text(bytes).replace('/', ".")
}

fn class_name(set: &Classes<'_>, class: u32) -> String {
    dotted(set.entry(class).file.this_name())
}

fn method_name(set: &Classes<'_>, class: u32, method: u32) -> Option<String> {
    (method != NO_METHOD).then(|| {
        format!("{}{}", text(set.name(class, method)), text(set.descriptor(class, method)))
    })
}

fn call_name(set: &Classes<'_>, method: u32) -> String {
    let class = set.class_of(method);
    format!("{}.{}", class_name(set, class), text(set.name(class, method)))
}

fn target(set: &Classes<'_>, class: u32, target: &Target) -> String {
    let index = match target {
        Target::Text(text) => return text.clone(),
        Target::Constant(index) => *index,
    };
    let pool = set.entry(class).file.pool();
    if pool.tag(index) == Some(tag::CLASS) {
        return pool.class_name(index).map(dotted).unwrap_or_default();
    }
    pool.member_ref(index)
        .map_or_else(|_| String::new(), |member| format!("{}.{}", dotted(member.class), text(member.name)))
}
