use fixtures::Jar;

use super::*;
use serde_json::Value;

fn difference(first: &Jar, second: &Jar) -> Difference {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    first.write(&at("a.jar")).unwrap();
    second.write(&at("b.jar")).unwrap();
    Difference::of(&at("a.jar"), &at("b.jar"), Limits::default()).unwrap()
}

fn properties(permissions: &str) -> Vec<u8> {
    format!("id=x\nversion=1\npermissions={permissions}\n").into_bytes()
}

#[test]
fn what_differs_is_listed_by_section() {
    let path = "META-INF/btrace-extensions/x/extension.properties";
    let first = Jar::new()
        .attributes(&[("A", "1"), ("B", "2")])
        .file("a/B.class", b"one")
        .file("a/C.class", b"c")
        .file("META-INF/btrace/agent/a/D.classdata", b"d")
        .file(path, &properties("NETWORK,THREADS"));
    let second = Jar::new()
        .attributes(&[("A", "1"), ("C", "3"), ("B", "4")])
        .file("a/B.class", b"other")
        .file("META-INF/btrace/agent/a/D.classdata", b"d")
        .file("META-INF/btrace/agent/a/E.classdata", b"e")
        .file(path, &properties("NETWORK,EXEC"));
    let difference = difference(&first, &second);
    assert!(difference.differs() && !difference.identical);
    assert_eq!(
        difference.lines(),
        [
            "bootstrap: 1 removed, 0 added, 1 changed",
            "  - a/C.class",
            "  ~ a/B.class, 3 bytes, now 5",
            "extension x: 0 removed, 0 added, 1 changed",
            "  ~ META-INF/btrace-extensions/x/extension.properties, 43 bytes, now 40",
            "section agent: 0 removed, 1 added, 0 changed",
            "  + META-INF/btrace/agent/a/E.classdata",
            "attributes: 2 differ",
            "  ~ B: `2`, now `4`",
            "  + C: `3`",
            "permissions of x: 1 removed, 1 added",
            "  - THREADS",
            "  + EXEC",
        ]
    );
    let json = Value::Object(difference.to_json());
    assert_eq!(json["sections"]["section agent"]["added"][0], "META-INF/btrace/agent/a/E.classdata");
    assert_eq!(json["sections"]["bootstrap"]["changed"][0]["second-bytes"], 5);
    assert_eq!(json["attributes"][1], serde_json::json!({ "name": "C", "first": null, "second": "3" }));
    assert_eq!(json["permissions"]["x"]["added"], serde_json::json!(["EXEC"]));
}

#[test]
fn order_and_compression_do_not_count() {
    let first = Jar::new().file("a", b"same").file("b", b"b");
    let second = Jar::new().file("b", b"b").stored("a", b"same");
    let other = difference(&first, &second);
    assert!(!other.differs() && !other.identical, "{other:?}");
    assert_eq!(other.lines(), [""; 0]);
    assert!(difference(&first, &first).identical);
}
