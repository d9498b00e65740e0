//! Public bug reports, each by its number.

use super::{IMPORTS, compile, scan_all};
use manifests::permission::Permission::{Exec, FileRead};
use scan::{Roots, Use};

/// Method references reach what no call instruction names.
#[test]
fn case_25_method_references_are_seen() {
    let classes = compile(&[(
        "t/Main.java".to_owned(),
        format!(
            "{IMPORTS}class Main {{ interface E {{ Process go(String c) throws IOException; }}
             interface R {{ Object open(Path p) throws IOException; }}
             E e() {{ return Runtime.getRuntime()::exec; }} R r() {{ return Files::newInputStream; }} }}
             class Mention {{ Object m() {{ return Runtime.getRuntime(); }} }}"
        ),
    )]);
    let report = scan_all(classes.values(), &Roots::default());
    assert_eq!(report.present(), [FileRead, Exec]);
    let exec = report.findings.iter().find(|finding| finding.permissions.has(Exec)).unwrap();
    assert_eq!(
        (exec.class.as_str(), exec.how, exec.target.as_str()),
        ("t.Main", Use::Handle, "java.lang.Runtime.exec")
    );
    assert_eq!(exec.method.as_deref(), Some("e()Lt/Main$E;"));
    assert!(report.findings.iter().all(|finding| finding.class != "t.Mention"), "{:?}", report.findings);
}

/// Versions that are newer than any JVM, or preview ones, are read as far as their structures are known.
#[test]
fn case_33_newer_and_preview_versions_are_scanned() {
    let classes = compile(&[(
        "t/Main.java".to_owned(),
        format!("{IMPORTS}class Main {{ Object m() throws Exception {{ return new ProcessBuilder().start(); }} }}"),
    )]);
    let bytes = &classes["t/Main"];
    for version in [[0, 0, 0, 46], [0, 0, 0, 72], [0xFF, 0xFF, 0, 69]] {
        let mut changed = bytes.clone();
        changed[4..8].copy_from_slice(&version);
        assert_eq!(scan_all([&changed], &Roots::default()).present(), [Exec], "{version:?}");
    }
    // A constant of a kind that is not known could hide anything.
    let mut unknown = bytes.clone();
    unknown[10] = 99;
    let error = scan::scan(&[scan::Class { bytes: &unknown }], &Roots::default()).unwrap_err();
    assert_eq!(error.class, 0);
}

#[test]
fn fields_of_an_heir_are_its_own_unless_they_are_inherited() {
    let source = format!(
        "{IMPORTS}abstract class Own extends SocketImpl {{ static int count; int kept; int all() {{ return count + kept + port; }} }}
         class Other {{ int all(Own own) {{ return Own.count + own.kept; }} }}"
    );
    let classes = compile(&[("t/Own.java".to_owned(), source)]);
    let report = scan_all(classes.values(), &Roots::default());
    let fields: Vec<&str> =
        report.findings.iter().filter(|finding| finding.how == Use::Field).map(|found| found.target.as_str()).collect();
    assert_eq!(fields, ["t.Own.port"]);
}
