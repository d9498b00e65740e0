//! No bytes make the crate panic, and what it accepts stays bounded.

use crate::harness::javac;
use crate::targets;
use classfile::ClassFile;
use proptest::prelude::*;
use std::sync::OnceLock;

fn samples() -> &'static [Vec<u8>] {
    static SAMPLES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let sources = [
            ("Flow.java", include_str!("java/programs/Flow.java")),
            ("Construction.java", include_str!("java/programs/Construction.java")),
            ("Annotated.java", include_str!("java/programs/Annotated.java")),
        ];
        let mut samples: Vec<_> = javac(&sources, &["-g"]).into_values().collect();
        samples
            .push(javac(&[("Old.java", include_str!("java/programs/Old.java"))], &["--release", "8"])["Old"].clone());
        samples
    })
}

/// Everything that the crate does with a class.
fn exercise(bytes: &[u8]) {
    targets::reader(bytes);
    targets::weaver(bytes);
}

#[test]
fn every_truncation() {
    for sample in samples() {
        let step = sample.len() / 150 + 1;
        for length in (0..sample.len()).step_by(step) {
            assert!(ClassFile::parse(&sample[..length]).is_err());
            exercise(&sample[..length]);
        }
    }
}

/// A `long` as the last constant takes one index more than the file states: constants that are added would overlap it.
#[test]
fn a_last_constant_without_its_second_index() {
    let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 2, 5, 0, 0, 0, 0, 0, 0, 0, 1];
    bytes.extend([0; 14]);
    let message = "no second index of the last constant in a constant pool of 2, index: 2";
    assert_eq!(ClassFile::parse(&bytes).unwrap_err().to_string(), message);
    let rules = classfile::relocate::Rules::new([("a", "b")]).unwrap();
    let error = classfile::relocate::relocate(&bytes, &rules, &classfile::relocate::Literals::Off).unwrap_err();
    let source = std::error::Error::source(&error).map(ToString::to_string);
    assert_eq!(source.as_deref(), Some(message), "{error}");
    exercise(&bytes);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

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
        insert in any::<bool>(),
    ) {
        let mut bytes = which.get(samples()).clone();
        let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
        let part = bytes[from..(from + length).min(bytes.len())].to_vec();
        let end = if insert { to } else { (to + part.len()).min(bytes.len()) };
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
