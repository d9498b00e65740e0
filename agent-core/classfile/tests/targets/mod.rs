//! What fuzzing runs on bytes of any kind: nothing may panic, hang or grow without bound, and what was sound stays sound.
//!
//! The same functions are run by `cargo fuzz` (see `fuzz/README.md`), and by tests that change real classes.

#![allow(dead_code, reason = "each fuzz target uses one of them")]

use crate::planners::{all_of, everything};
use classfile::bytecode::Bytecode;
use classfile::edit::{DynamicRead, Edits, rewrite_class};
use classfile::relocate::{Literals, Rules, native_methods, relocate};
use classfile::values::each_call;
use classfile::weave::{Call, Linkage, MethodInfo, Plan, Planner, Site, SiteKind, SitePlan, Source, weave};
use classfile::{ClassFile, descriptor};
use std::sync::OnceLock;

/// How much longer a class may become: by a factor, and by so many bytes.
const GROWTH: (usize, usize) = (400, 100_000);

/// Whether another reader takes these bytes for a class. It panics at some damaged constants, which counts as no.
fn is_sound(bytes: &[u8]) -> bool {
    std::panic::catch_unwind(|| cafebabe::parse_class(bytes).is_ok()).unwrap_or(false)
}

/// What comes out is read by each reader that could read what went in.
fn check(before: &[u8], after: &[u8]) {
    // Relocation takes a class whose members are malformed, as it does not look at them all.
    if ClassFile::parse(before).is_ok()
        && let Err(error) = ClassFile::parse(after)
    {
        panic!("what was written cannot be read: {error}");
    }
    let limit = before.len() * GROWTH.0 + GROWTH.1;
    assert!(after.len() < limit, "{} bytes from {}", after.len(), before.len());
    if is_sound(before)
        && let Err(error) = cafebabe::parse_class(after)
    {
        panic!("another reader could read the class before and not after: {error}");
    }
}

/// Reads everything that there is to read.
pub(crate) fn reader(bytes: &[u8]) {
    let Ok(class) = ClassFile::parse(bytes) else { return };
    let _ = class.annotations();
    let _ = class.bootstrap_methods();
    for member in class.fields().chain(class.methods()) {
        let _ = member.annotations();
        let _ = member.parameter_annotations();
        for attribute in member.attributes() {
            // No more was copied or made up than the file holds.
            assert!(attribute.offset + attribute.data.len() <= bytes.len());
        }
    }
    for method in class.methods() {
        let Ok(Some(code)) = Bytecode::of(&method) else { continue };
        assert!(code.instructions().count() <= code.len());
        let _ = code.uses().count();
        let _ = code.handlers().count();
        each_call(class.pool(), code, |_, _| None);
    }
    for index in 0..class.pool().len() {
        let _ = (class.pool().member_ref(index), class.pool().dynamic(index), class.pool().string(index));
        let _ = (class.pool().double(index), class.pool().float(index), class.pool().tag(index));
    }
    let _ = native_methods(bytes);
}

/// Weaves all that can be woven, by both linkages; and rewrites the class as if it were a probe's.
pub(crate) fn weaver(bytes: &[u8]) {
    for (ends, sites) in [(true, false), (false, true), (true, true)] {
        let mut number = |_: &str, _: &str| 70_000;
        let direct = Linkage::Direct { class: "rt/Rt", method: "direct", site: &mut number };
        let dynamic = Linkage::Dynamic { class: "rt/Rt", method: "bootstrap" };
        for linkage in [direct, dynamic] {
            if let Ok(woven) = weave(bytes, linkage, &mut Everything { ends, sites })
                && let Some(new) = woven.bytes
            {
                check(bytes, &new);
            }
        }
    }
    let read = DynamicRead {
        name: "f".into(),
        class: "a/B".into(),
        method: "m".into(),
        descriptor: "()V".into(),
        arguments: vec!["x".into()],
    };
    let mut edits = Edits {
        types: [("java/lang/String".into(), "a/B".into())].into(),
        fields: [("depth".into(), read)].into(),
        ..Edits::default()
    };
    if let Ok(new) = rewrite_class(bytes, &mut edits) {
        check(bytes, &new);
    }
}

/// Moves classes, with each treatment of literals.
pub(crate) fn relocator(bytes: &[u8]) {
    static RULES: OnceLock<Rules> = OnceLock::new();
    let rules = RULES.get_or_init(|| {
        Rules::new([("sun", "moved.sun"), ("jdk.internal", "j"), ("=sun.nio.ch.Net", "N")]).expect("sound rules")
    });
    let known = |_: &str| true;
    for literals in [Literals::Off, Literals::OnlyDescriptors, Literals::Descriptors(&known), Literals::Names(&known)] {
        if let Ok(result) = relocate(bytes, rules, &literals)
            && let Some(new) = result.bytes
        {
            check(bytes, &new);
        }
    }
}

/// Asks for everything, of whatever can be described.
struct Everything {
    ends: bool,
    sites: bool,
}

impl Planner for Everything {
    fn method(&mut self, method: &MethodInfo<'_>, plan: &mut Plan) {
        if descriptor::method(method.descriptor).is_err() {
            return;
        }
        if self.ends {
            *plan = everything(method);
        }
        if self.sites {
            plan.sites = SiteKind::ALL.into_iter().collect();
        }
    }

    fn site(&mut self, _: &MethodInfo<'_>, site: &Site<'_>) -> SitePlan {
        let (before, mut after) = all_of(site);
        if site.kind == SiteKind::Call {
            after.push(Source::Duration);
        }
        let call = |name: &str, parameters| vec![Call { name: name.into(), parameters }];
        let after = if site.kind.has_after() { call("after", after) } else { Vec::new() };
        SitePlan { before: call("before", before), after }
    }
}
