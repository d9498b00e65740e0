//! What a scan tells.

use crate::classes::Classes;
use crate::outcome::{Found, NO_METHOD, Target};
use crate::permissions::Permissions;
use crate::reach::Reached;
use classfile::{mutf8, reader::tag};
use manifests::permission::Permission;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
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
    let mut names = Namer { set, calls: FxHashMap::default() };
    let is_reached = |class, method| reached.is_none_or(|reached| reached.has(class, method));
    report.findings.reserve(found.findings.len());
    let mut first = 0;
    for (number, raw) in found.findings.iter().enumerate() {
        if number > 0 && found.findings[number - 1].place() != raw.place() {
            first = report.findings.len();
        }
        let target = names.target(raw.class, &raw.target);
        // One call may read and another one of the same method write.
        let same =
            |known: &Finding| known.how == raw.how && known.permissions == raw.permissions && known.target == target;
        if report.findings[first..].iter().any(same) {
            continue;
        }
        let reachable = is_reached(raw.class, raw.method);
        report.findings.push(Finding {
            permissions: raw.permissions,
            input: raw.class as usize,
            class: names.class(raw.class),
            method: names.method(raw.class, raw.method),
            how: raw.how,
            target,
            why: raw.why,
            reachable,
            path: reached.filter(|_| reachable).map_or_else(Vec::new, |reached| {
                reached.path(raw.class, raw.method).into_iter().map(|method| names.call(method).to_owned()).collect()
            }),
        });
    }
    let mut seen = BTreeSet::new();
    for blind in found.blind {
        let target = names.target(blind.class, &blind.target);
        if seen.insert((blind.class, blind.method, target.clone(), blind.why.clone())) {
            report.unscannable.push(Unscannable {
                input: blind.class as usize,
                class: names.class(blind.class),
                method: names.method(blind.class, blind.method),
                target,
                why: blind.why,
                reachable: is_reached(blind.class, blind.method),
            });
        }
    }
    report
}

/// Writes names as people read them.
struct Namer<'n, 's> {
    set: &'n Classes<'s>,
    /// `Class.method` of methods on paths, most of which many paths share.
    calls: FxHashMap<u32, String>,
}

impl Namer<'_, '_> {
    fn class(&self, class: u32) -> String {
        dotted(self.set.entry(class).file.this_name())
    }

    fn method(&self, class: u32, method: u32) -> Option<String> {
        (method != NO_METHOD).then(|| {
            let mut name = text(self.set.name(class, method)).into_owned();
            name.push_str(&text(self.set.descriptor(class, method)));
            name
        })
    }

    fn call(&mut self, method: u32) -> &str {
        let set = self.set;
        self.calls.entry(method).or_insert_with(|| {
            let class = set.class_of(method);
            member(set.entry(class).file.this_name(), set.name(class, method))
        })
    }

    fn target(&self, class: u32, target: &Target) -> String {
        let index = match target {
            Target::Text(text) => return text.clone(),
            Target::Constant(index) => *index,
        };
        let pool = self.set.entry(class).file.pool();
        if pool.tag(index) == Some(tag::CLASS) {
            return pool.class_name(index).map(dotted).unwrap_or_default();
        }
        pool.member_ref(index).map_or_else(|_| String::new(), |used| member(used.class, used.name))
    }
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    mutf8::decode_lossy(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes))
}

fn dotted(bytes: &[u8]) -> String {
    text(bytes).replace('/', ".")
}

fn member(class: &[u8], name: &[u8]) -> String {
    let mut full = dotted(class);
    full.push('.');
    full.push_str(&text(name));
    full
}
