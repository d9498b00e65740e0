//! No bytes make relocation panic, and what it accepts and writes can be read again.

use crate::harness::{javac, rules};
use classfile::relocate::{Literals, Rules, native_methods, relocate};
use proptest::prelude::*;
use std::sync::OnceLock;

fn samples() -> &'static [Vec<u8>] {
    static SAMPLES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let sources = [
            ("org/dep/Everything.java", include_str!("java/Everything.java")),
            ("kafka.java", "class kafka { String kafka = \"kafka\"; kafka kafka(String s) { switch (s) { case \"Lkafka;\": return null; } return this; } }"),
        ];
        javac(&sources, &["-g", "-parameters"]).into_values().collect()
    })
}

fn all() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| rules(&[("org.dep", "x.org.dep"), ("=kafka", "y.kafka"), ("=org.dep.Everything", "E")]))
}

fn exercise(bytes: &[u8]) {
    let known = |_: &str| true;
    for literals in [Literals::Off, Literals::OnlyDescriptors, Literals::Descriptors(&known), Literals::Names(&known)] {
        if let Ok(result) = relocate(bytes, all(), &literals)
            && let Some(new) = result.bytes
        {
            // The structure that was read before is read again.
            let again = relocate(&new, &rules(&[("none", "x")]), &literals).unwrap();
            assert_eq!((again.bytes, again.name), (None, result.name));
        }
    }
    let _ = native_methods(bytes);
}

#[test]
fn every_truncation() {
    for sample in samples() {
        let step = sample.len() / 150 + 1;
        for length in (0..sample.len()).step_by(step) {
            assert!(relocate(&sample[..length], all(), &Literals::Off).is_err());
        }
        let mut longer = sample.clone();
        longer.push(0);
        assert!(relocate(&longer, all(), &Literals::Off).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = which.get(samples()).clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        exercise(&bytes);
    }

    #[test]
    fn moved_bytes(
        which in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        length in 1..40usize,
    ) {
        let mut bytes = which.get(samples()).clone();
        let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
        let part = bytes[from..(from + length).min(bytes.len())].to_vec();
        let end = (to + part.len()).min(bytes.len());
        bytes.splice(to..end, part);
        exercise(&bytes);
    }

    #[test]
    fn any_bytes(mut bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        exercise(&bytes);
        bytes.splice(0..0, [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52]);
        exercise(&bytes);
    }
}

/// An attribute that is shorter than what belongs into it must not be read into the next one, whose bytes would be changed.
#[test]
fn an_attribute_that_is_too_short_is_refused() {
    let classes = javac(&[("org/dep/G.java", "package org.dep; public class G<T extends Comparable<T>> {}")], &[]);
    let bytes = &classes["org/dep/G"];
    let class = classfile::ClassFile::parse(bytes).unwrap();
    let signature = class.attribute("Signature").unwrap();
    let (start, end) = (signature.offset, signature.offset + signature.data.len());
    let short = [&bytes[..start - 4], &[0, 0, 0, 0], &bytes[end..]].concat();
    assert!(classfile::ClassFile::parse(&short).is_ok(), "its structure still holds");
    let rules = rules(&[("org.dep", "shaded.org.dep")]);
    let error = relocate(&short, &rules, &Literals::Off).unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("too early"), "{cause}");
}
