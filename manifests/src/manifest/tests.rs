//! Reading, writing and refusing.

use proptest::prelude::*;

use super::*;

fn main(text: &[u8]) -> Vec<(String, String)> {
    let manifest = Manifest::parse(text).unwrap();
    manifest.main.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn written(manifest: &Manifest) -> String {
    String::from_utf8(manifest.to_bytes()).unwrap()
}

fn of(entries: &[(&str, &str)]) -> Attributes {
    let mut attributes = Attributes::default();
    for (name, value) in entries {
        attributes.set(name, value).unwrap();
    }
    attributes
}

#[test]
fn any_line_end_is_read() {
    let expected = [("A".to_owned(), "xy".to_owned()), ("B".to_owned(), String::new())];
    for end in ["\r\n", "\n", "\r"] {
        assert_eq!(main(format!("A: x{end} y{end}B: {end}").as_bytes()), expected, "{end:?}");
        assert_eq!(main(format!("A: x{end} y{end}B: ").as_bytes()), expected, "{end:?}, last line open");
    }
    assert_eq!(main(b""), []);
}

#[test]
fn a_value_split_inside_a_character_is_joined() {
    assert_eq!(main(b"A: caf\xc3\r\n \xa9\r\n"), [("A".to_owned(), "café".to_owned())]);
}

#[test]
fn sections_follow_blank_lines() {
    let manifest =
        Manifest::parse(b"Manifest-Version: 1.0\n\n\nName: a/B\n .class\nSHA-256-Digest: x=\n\nname: c\n\n").unwrap();
    assert_eq!(manifest.main.len(), 1);
    assert_eq!(manifest.sections().len(), 2);
    assert_eq!(manifest.section("a/B.class").unwrap().get("sha-256-digest"), Some("x="));
    assert!(manifest.section("c").unwrap().is_empty());
    assert_eq!(manifest.section("d"), None);
    assert_eq!(
        written(&manifest),
        "Manifest-Version: 1.0\r\n\r\nName: a/B.class\r\nSHA-256-Digest: x=\r\n\r\nName: c\r\n\r\n"
    );
}

#[test]
fn sections_are_added_and_dropped() {
    let mut manifest = Manifest::default();
    manifest.add_section("a", of(&[("name", "ignored"), ("X", "1")])).unwrap();
    manifest.add_section("b", Attributes::default()).unwrap();
    assert_eq!(manifest.section("a").unwrap().iter().collect::<Vec<_>>(), [("X", "1")]);
    manifest.retain_sections(|name, _| name == "b");
    assert_eq!(written(&manifest), "Manifest-Version: 1.0\r\n\r\nName: b\r\n\r\n");
    let error = manifest.add_section("a\nX: injected", Attributes::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "value of manifest attribute `Name` holds a line break or a NUL: \"a\\nX: injected\""
    );
}

#[test]
fn names_ignore_case_and_keep_place_and_spelling() {
    let mut attributes = of(&[("premain-class", "A"), ("X", "1")]);
    attributes.set(attribute::PREMAIN_CLASS, "B").unwrap();
    assert_eq!(attributes.iter().collect::<Vec<_>>(), [("premain-class", "B"), ("X", "1")]);
    assert_eq!(attributes.get("PREMAIN-CLASS"), Some("B"));
    assert_eq!(attributes.remove("Premain-Class").as_deref(), Some("B"));
    assert_eq!(attributes.remove("Premain-Class"), None);
    assert_eq!(attributes.len(), 1);
}

#[test]
fn the_version_is_written_first_and_always() {
    let mut manifest =
        Manifest { main: of(&[("Main-Class", "a.B"), ("manifest-version", "2.0")]), ..Manifest::default() };
    assert_eq!(written(&manifest), "Manifest-Version: 2.0\r\nMain-Class: a.B\r\n\r\n");
    manifest.main.remove("Manifest-Version");
    assert_eq!(written(&manifest), "Manifest-Version: 1.0\r\nMain-Class: a.B\r\n\r\n");
}

#[test]
fn lines_hold_72_bytes() {
    let value = "x".repeat(72 - 3) + &"y".repeat(71) + "z";
    let manifest = Manifest { main: of(&[("A", &value)]), ..Manifest::default() };
    let expected = format!("Manifest-Version: 1.0\r\nA: {}\r\n {}\r\n z\r\n\r\n", "x".repeat(69), "y".repeat(71));
    assert_eq!(written(&manifest), expected);
}

#[test]
fn the_longest_name_fills_a_line_and_characters_stay_whole() {
    let name = "N".repeat(70);
    let manifest = Manifest { main: of(&[(&name, "v"), ("A", &"é".repeat(36))]), ..Manifest::default() };
    let expected = format!("Manifest-Version: 1.0\r\n{name}: \r\n v\r\nA: {}\r\n éé\r\n\r\n", "é".repeat(34));
    assert_eq!(written(&manifest), expected);
    assert_eq!(main(expected.as_bytes())[1].1, "v");
}

/// Message and hint for a text that is refused.
#[track_caller]
fn refused(text: &[u8], message: &str, hint: &str) {
    let error = Manifest::parse(text).unwrap_err();
    assert_eq!(error.to_string(), message);
    assert_eq!(error.hint().as_deref(), Some(hint));
}

#[test]
fn malformed_lines_are_numbered() {
    let form = "write a name, a colon and one space before the value; further lines of a value begin with one space";
    refused(b"A: b\r\nno colon\r\n", "manifest line 2 is not of the form `Name: value`: `no colon`", form);
    refused(b"A:b", "manifest line 1 is not of the form `Name: value`: `A:b`", form);
    refused(b"A:", "manifest line 1 is not of the form `Name: value`: `A:`", form);
    let long = [b"x".repeat(81), b"\n".to_vec()].concat();
    let shortened = format!("manifest line 1 is not of the form `Name: value`: `{}…`", "x".repeat(80));
    refused(&long, &shortened, form);
}

#[test]
fn a_continuation_needs_an_attribute() {
    let hint = "remove the space at the start of the line";
    refused(b" A: b\n", "manifest line 1 continues no attribute", hint);
    refused(b"A: b\n\n c\n", "manifest line 3 continues no attribute", hint);
}

#[test]
fn names_are_checked() {
    let hint = "use 1 to 70 letters, digits, `-` or `_`, beginning with a letter or digit";
    refused(b"A: b\nC D: e\n", "manifest line 2 has an invalid attribute name: `C D`", hint);
    refused(b": e\n", "manifest line 1 has an invalid attribute name: ``", hint);
    let long = "N".repeat(71);
    refused(format!("{long}: v").as_bytes(), &format!("manifest line 1 has an invalid attribute name: `{long}`"), hint);
    refused(
        b"\xef\xbb\xbfManifest-Version: 1.0\n",
        "manifest line 1 has an invalid attribute name: `\u{feff}Manifest-Version`",
        "the text begins with a byte order mark: save it without one",
    );
    let error = Attributes::default().set("a:b", "c").unwrap_err();
    assert_eq!(error.to_string(), "not a manifest attribute name: `a:b`");
    assert_eq!(error.hint().as_deref(), Some(hint));
}

#[test]
fn values_are_checked() {
    for value in ["a\nB: c", "a\rb", "a\0b"] {
        let error = Attributes::default().set("A", value).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("value of manifest attribute `A` holds a line break or a NUL: {value:?}")
        );
        assert_eq!(error.hint().as_deref(), Some("put the text on one line"));
    }
    assert!(matches!(Manifest::parse(b"A: \0"), Err(Error::ManifestValue { .. })));
    refused(
        b"A: b\nC: \xff\n x\n",
        "manifest line 2 holds bytes that are not UTF-8 in the value of: `C`",
        "save the manifest as UTF-8",
    );
}

#[test]
fn repeated_attributes_are_refused() {
    refused(b"A: b\na: c\n", "manifest line 2 repeats an attribute: `a`", "keep one `a` per section");
    refused(b"A: b\n\nName: x\nA: c\nA: d", "manifest line 5 repeats an attribute: `A`", "keep one `A` per section");
    refused(
        b"A: b\n\nName: x\nName: y\n",
        "manifest line 4 repeats an attribute: `Name`",
        "keep one `Name` per section",
    );
    assert!(Manifest::parse(b"A: b\n\nName: x\nA: c\n").is_ok(), "another section may have it too");
}

#[test]
fn a_section_begins_with_its_name() {
    let hint = "begin the section with `Name: path/of/entry`, or remove the blank line before it";
    refused(b"A: b\n\nC: d\n", "manifest section at line 3 begins not with `Name` but with: `C`", hint);
    refused(b"\nA: b\n", "manifest section at line 2 begins not with `Name` but with: `A`", hint);
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        main in prop::collection::vec(("[A-Za-z0-9][A-Za-z0-9_-]{0,69}", "[^\\r\\n\\x00]{0,200}"), 0..8),
        name in "[^\\r\\n\\x00]{0,200}",
        value in "[^\\r\\n\\x00]{0,200}",
    ) {
        let mut manifest = Manifest::default();
        manifest.main.set("Manifest-Version", "1.0").unwrap();
        for (name, value) in &main {
            manifest.main.set(name, value).unwrap();
        }
        manifest.add_section(&name, of(&[("X", &value)])).unwrap();
        let bytes = manifest.to_bytes();
        for line in bytes.split(|&byte| byte == b'\n') {
            prop_assert!(line.len() <= 73, "72 and CR");
            prop_assert!(std::str::from_utf8(line).is_ok());
        }
        prop_assert_eq!(Manifest::parse(&bytes), Ok(manifest));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        if let Ok(manifest) = Manifest::parse(&bytes) {
            let again = Manifest::parse(&manifest.to_bytes()).unwrap();
            prop_assert_eq!(again.sections(), manifest.sections());
        }
    }
}

#[test]
fn digests_go_and_what_else_sections_say_stays() {
    let text = b"Manifest-Version: 1.0\r\n\r\nName: a\r\nSHA-256-Digest: x\r\n\r\nName: b\r\nSealed: true\r\n\
        SHA1-digest: y\r\nSHA-Digest-de: z\r\n\r\nName: c\r\nDigest-Of: d\r\n\r\nName: d\r\n\r\n";
    let mut manifest = Manifest::parse(text).unwrap();
    manifest.remove_digests();
    let names: Vec<&str> = manifest.sections().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["b", "c", "d"]);
    let b: Vec<_> = manifest.section("b").unwrap().iter().collect();
    assert_eq!(b, [("Sealed", "true")]);
}
