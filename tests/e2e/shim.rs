//! The Java shim as it is shipped: Java 8, and nothing that must not run before the application does.

use crate::harness::e2e_test;
use crate::product::agent;

/// What start-up code must not name: the prefix, and why.
const BANNED: [(&str, &str); 6] = [
    ("java/lang/invoke/LambdaMetafactory", "a lambda links java.lang.invoke before the JVM is ready for it"),
    ("java/lang/invoke/StringConcatFactory", "so does concatenation by invokedynamic"),
    ("java/nio/", "NIO fixes the default file system before the application can choose it"),
    ("java/util/logging/", "JUL fixes the log manager before the application can choose it"),
    ("java/lang/management/", "management beans start JMX"),
    ("javax/management/", "JMX starts the platform server and its loggers"),
];

#[test]
fn every_shim_class_is_java_8_and_free_of_what_is_banned() {
    e2e_test("shim", |_| {
        let jar = agent().jar;
        let mut count = 0;
        for name in fixtures::entry_names(&jar).expect("entries") {
            let (stem, extension) = name.rsplit_once('.').unwrap_or_default();
            let ours = stem.starts_with("io/btrace/") && extension == "class"
                || stem.starts_with("META-INF/btrace/") && extension == "classdata";
            if !ours {
                continue;
            }
            count += 1;
            let bytes = fixtures::read_entry(&jar, &name).expect("an entry");
            // An independent reader, so that a fault of ours cannot hide what it should find.
            let class = cafebabe::parse_class(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            let expected = if name == "io/btrace/boot/NativeLoader24.class" { 61 } else { 52 };
            assert_eq!(class.major_version, expected, "{name}");
            for (banned, why) in BANNED {
                let hit = texts(&bytes).into_iter().find(|t| t.contains(banned));
                assert!(hit.is_none(), "{name} names {}: {why}", hit.unwrap_or_default());
            }
            let dynamic = class.methods.iter().flat_map(|m| &m.attributes).any(|a| match &a.data {
                cafebabe::attributes::AttributeData::Code(code) => code.bytecode.as_ref().is_some_and(|b| {
                    b.opcodes.iter().any(|(_, op)| matches!(op, cafebabe::bytecode::Opcode::Invokedynamic(_)))
                }),
                _ => false,
            });
            assert!(!dynamic, "{name} holds an invokedynamic");
        }
        assert!(count > 40, "{count} classes only");
    });
}

/// All Utf8 constants of a class, read by the format's own layout.
fn texts(class: &[u8]) -> Vec<String> {
    let number = |at: usize| usize::from(u16::from_be_bytes([class[at], class[at + 1]]));
    let (mut at, mut found) = (10, Vec::new());
    let mut index = 1;
    while index < number(8) {
        let length = match class[at] {
            1 => {
                let length = number(at + 1);
                found.push(String::from_utf8_lossy(&class[at + 3..at + 3 + length]).into_owned());
                2 + length
            }
            3 | 4 | 9..=12 | 17 | 18 => 4,
            5 | 6 => {
                index += 1;
                8
            }
            7 | 8 | 16 | 19 | 20 => 2,
            15 => 3,
            tag => panic!("constant tag {tag}"),
        };
        at += 1 + length;
        index += 1;
    }
    found
}
