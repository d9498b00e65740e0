//! Another vendor's finished jar as the base.

use fixtures::Jar;
use packager::archive::Archive;

use crate::agent::{ATTRIBUTES, BOOT, build, expect, refused, says, section, toml, work};
use crate::work::Work;

pub(crate) const BASE: &str = "base = { file = \"vendor.jar\" }\n";
const EXTRA: &str = "[[section]]\npath = \"inst\"\nfrom = [\"extra.jar\"]\n";

/// The agent's folder with a `vendor.jar` as its vendor would have published it.
pub(crate) fn vendor() -> Work {
    let work = work();
    toml(&work, "", "", &format!("{BOOT}{}{ATTRIBUTES}", section("inst", "")));
    build(&work, &[]);
    let mut jar = Jar::new();
    for name in work.names().iter().filter(|name| !name.ends_with('/') && *name != "META-INF/MANIFEST.MF") {
        jar = jar.file(name, &work.read(name));
    }
    let manifest = b"Manifest-Version: 1.0\r\nImplementation-Version: 7\r\nPremain-Class: acme.boot.Premain\r\n\
        X-Vendor: yes\r\n\r\nName: acme/boot/\r\nImplementation-Title: T\r\nSHA-256-Digest: x\r\n\r\n";
    let jar = jar.manifest(manifest).stored("inst/big.txt", &[b'x'; 4000]).file("META-INF/V.SF", b"signature");
    work.jar("vendor.jar", &jar.folder("inst/empty/"));
    work
}

#[test]
fn a_class_in_a_new_package_is_loaded_by_the_vendors_loader() {
    let work = vendor();
    toml(&work, "", BASE, EXTRA);
    let stderr = build(&work, &[]);
    expect(&work, "inst/,.classdata,inside,acme.agent.Start", &says(11, "One, Two, Extra"));
    expect(&work, "inst/,.classdata,inside,acme.extra.Extra", "extra in Loader");
    assert_eq!(work.text("inst/META-INF/services/acme.agent.Spi"), "acme.agent.One\nacme.more.Two\nacme.extra.Extra\n");
    // What it says of itself stays, without what signing added.
    assert_eq!(
        work.text("META-INF/MANIFEST.MF"),
        "Manifest-Version: 1.0\r\nImplementation-Version: 7\r\nPremain-Class: acme.boot.Premain\r\nX-Vendor: yes\r\n\r\n\
         Name: acme/boot/\r\nImplementation-Title: T\r\n\r\n"
    );
    assert!(stderr.contains("the signature of `vendor.jar` is dropped"), "{stderr}");
    assert!(stderr.contains("digests in the manifest of `vendor.jar` are dropped, 1"), "{stderr}");
    let (base, out) = (Archive::open(&work.path("vendor.jar")).unwrap(), Archive::open(&work.path("out.jar")).unwrap());
    for entry in base.entries().iter().filter(|entry| !entry.name.starts_with("META-INF/")) {
        if entry.name.contains("services") {
            continue;
        }
        let copied = &out.entries()[out.index_of(&entry.name).unwrap()];
        assert_eq!(copied, entry, "copied as it is");
    }
    let diff = work.fatagent(&["diff", "vendor.jar", "out.jar"]);
    assert!(diff.stdout.contains("section inst: 0 removed, 1 added, 1 changed\n"), "{}", diff.stdout);
}

#[test]
fn a_clash_with_the_base_is_refused_unless_it_is_decided() {
    let work = vendor();
    work.jar("clash.jar", &Jar::new().file("acme/agent/text.txt", b"other\n").file("big.txt", b"small"));
    let clash = "[[section]]\npath = \"inst\"\nfrom = [\"clash.jar\"]\n";
    toml(&work, "", BASE, clash);
    let stderr = refused(&work);
    assert!(
        stderr.contains(
            "two different files claim `inst/acme/agent/text.txt`: `inst/acme/agent/text.txt` of `vendor.jar`, and \
             `acme/agent/text.txt` of `clash.jar`; likewise `inst/big.txt`"
        ),
        "{stderr}"
    );
    toml(&work, "", BASE, &format!("{clash}[merge]\n\"inst/**/text.txt\" = \"append\"\n\"inst/*.txt\" = \"last\"\n"));
    let stderr = build(&work, &[]);
    assert_eq!(work.text("inst/acme/agent/text.txt"), "text\nother\n");
    assert_eq!(work.text("inst/big.txt"), "small");
    assert!(
        stderr.contains("Kept `inst/big.txt` of `clash.jar`, not of `vendor.jar`, by `inst/*.txt` as last"),
        "{stderr}"
    );

    fs_err::write(work.path("big.txt"), "disk").unwrap();
    let files = "[[files]]\nfrom = [\"big.txt\"]\ninto = \"inst\"\n";
    toml(&work, "", BASE, files);
    assert!(
        refused(&work)
            .contains("two different files claim `inst/big.txt`: `inst/big.txt` of `vendor.jar`, and `big.txt`")
    );
    toml(&work, "", BASE, &format!("{files}[merge]\n\"inst/big.txt\" = \"last\"\n"));
    build(&work, &[]);
    assert_eq!(work.text("inst/big.txt"), "disk");
}

#[test]
fn entries_of_the_base_are_excluded_with_a_report() {
    let work = vendor();
    toml(&work, "exclude = [\"**/text.txt\", \"inst/none/*\"]\n", BASE, EXTRA);
    assert!(refused(&work).contains("agent.toml:1:1: `exclude` matches no entry of the inputs: `inst/none/*`"));
    toml(&work, "exclude = [\"inst/META-INF/versions/**\", \"**/text.txt\"]\n", BASE, EXTRA);
    let stderr = build(&work, &["-v"]);
    assert!(
        stderr.contains(
            "Excluded of `vendor.jar` by `inst/META-INF/versions/**`, 2: `inst/META-INF/versions/11/acme/agent/Copy.classdata` …"
        ),
        "{stderr}"
    );
    assert!(stderr.contains("`inst/acme/agent/text.txt` of `vendor.jar` is excluded by `**/text.txt`"), "{stderr}");
    assert!(!work.names().iter().any(|name| name.contains("versions") || name.contains("text.txt")));
    expect(&work, "inst/,.classdata,inside,acme.extra.Extra", "extra in Loader");
}

#[test]
fn copies_inside_a_section_of_the_base_are_flattened() {
    let work = vendor();
    toml(&work, "flatten-versions = [\"acme\"]\n", BASE, EXTRA);
    let stderr = build(&work, &[]);
    assert!(stderr.contains("Flattened `acme` of `vendor.jar`, 1: `inst/META-INF/versions/11/"), "{stderr}");
    expect(&work, "inst/,.classdata,inside,acme.agent.Start", &says(11, "One, Two, Extra"));
}

#[test]
fn a_jar_that_was_built_here_is_a_base_too() {
    let work = vendor();
    let both = "[[section]]\npath = \"own\"\nsuffix = \".own\"\nfrom = [\"agent.jar\"]\n[bootstrap]\nfrom = [\"agent.jar\"]\n\
                include = [\"acme/agent/Spi.class\"]\n";
    toml(&work, "exclude = [\"inst/**\"]\n", BASE, &format!("{both}[verify]\nallow-both = [\"acme.agent.Spi\"]\n"));
    build(&work, &[]);
    fs_err::rename(work.path("out.jar"), work.path("first.jar")).unwrap();
    let base = "base = { file = \"first.jar\" }\n";
    toml(&work, "", base, EXTRA);
    assert!(
        refused(&work)
            .contains("class `acme.agent.Spi` would be both at the root (`acme/agent/Spi.class` of `first.jar`)")
    );
    toml(&work, "exclude = [\"acme/agent/Spi.class\"]\n", base, EXTRA);
    build(&work, &[]);
    let manifest = work.text("META-INF/MANIFEST.MF");
    assert!(
        manifest.contains("Fatagent-Sections: own=.own\r\n") && !manifest.contains("Fatagent-Allow-Both"),
        "{manifest}"
    );
    toml(&work, "exclude = [\"acme/agent/Spi.class\", \"own/**\"]\n", base, EXTRA);
    build(&work, &[]);
    let manifest = work.text("META-INF/MANIFEST.MF");
    assert!(!manifest.contains("Fatagent-"), "{manifest}");
}

#[test]
fn the_base_must_fit() {
    let work = vendor();
    toml(&work, "", BASE, &format!("{EXTRA}suffix = \".esclazz\"\n"));
    let stderr = refused(&work);
    assert!(
        stderr.contains("agent.toml:6:1: suffix of section `inst` differs from `.classdata` of the base: `.esclazz`"),
        "{stderr}"
    );

    let mut plain = Jar::new().attribute("Premain-Class", "acme.boot.Premain");
    for class in ["acme/boot/Premain.class", "acme/boot/Loader.class"] {
        plain = plain.file(class, &work.read(class));
    }
    work.jar("plain.jar", &plain);
    let ours = work.fatagent(&["mask", "--agent", "plain.jar", "-o", "ours.jar"]);
    assert_eq!(ours.code, Some(0), "{}", ours.stderr);
    toml(&work, "", "base = { file = \"ours.jar\" }\n", EXTRA);
    assert!(refused(&work).contains("base is no foreign jar but one of ours: `ours.jar`"));
    toml(&work, "", "base = { file = \"absent.jar\" }\n", EXTRA);
    assert!(refused(&work).contains("file does not exist: `absent.jar`"));

    let masked = work.fatagent(&["mask", "--agent", "vendor.jar", "-o", "twice.jar"]);
    assert_eq!(masked.code, Some(1));
    assert!(masked.stderr.contains("jar is masked already: `vendor.jar`"), "{}", masked.stderr);

    // A fault of the base is named as such.
    work.jar("bad.jar", &Jar::new().attribute("Premain-Class", "a.B").file("a/B.class", b"no class"));
    toml(&work, "", "base = { file = \"bad.jar\" }\n", EXTRA);
    let stderr = refused(&work);
    assert!(
        stderr.contains("the jar that was built is not sound") && stderr.contains("`fatagent verify bad.jar`"),
        "{stderr}"
    );
}

#[test]
fn case_41_entry_names_that_others_have_are_warned_about() {
    let work = work();
    let class = |name: &str, text: &str| {
        work.class(&[(name, text)], &["--release", "8", "-Xlint:-options"], &name.replace(".java", ".class"))
    };
    let source = "public class Ag { public static void premain(String a) { } }";
    work.jar("a.jar", &Jar::new().attribute("Premain-Class", "Ag").file("Ag.class", &class("Ag.java", source)));
    let warned = work.fatagent(&["verify", "a.jar"]);
    assert_eq!(warned.code, Some(0), "{}", warned.stderr);
    assert!(warned.stderr.contains("`Premain-Class` is in the default package: `Ag`"), "{}", warned.stderr);
    let source = "public class Ag extends Base { } class Base { public static void premain(String a) { } }";
    let inherited = work.class(&[("Ag.java", source)], &["--release", "8", "-Xlint:-options"], "Ag.class");
    work.jar("b.jar", &Jar::new().attribute("Premain-Class", "Ag").file("Ag.class", &inherited));
    assert_eq!(work.fatagent(&["verify", "b.jar"]).code, Some(0), "its superclass is elsewhere, so nobody can tell");
    let source = "public class Ag { static void premain(String a) { } }";
    work.jar("c.jar", &Jar::new().attribute("Premain-Class", "Ag").file("Ag.class", &class("Ag.java", source)));
    let failed = work.fatagent(&["verify", "c.jar"]);
    assert!(failed.stdout.contains("`Ag.class` has no `public static void premain`"), "{}", failed.stdout);
}
