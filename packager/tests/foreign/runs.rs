//! The three ways in which vendors lay out their sections.

use fixtures::Jar;
use packager::archive::Archive;

use crate::agent::{ATTRIBUTES, BOOT, build, expect, says, section, toml, work};

#[test]
fn versions_inside_a_section_with_the_usual_suffix() {
    let work = work();
    toml(&work, "", "", &format!("{BOOT}{}{ATTRIBUTES}", section("inst", "")));
    let stderr = build(&work, &[]);
    expect(&work, "inst/,.classdata,inside,acme.agent.Start", &says(11, "One, Two"));
    assert_eq!(
        work.names(),
        [
            "META-INF/",
            "META-INF/MANIFEST.MF",
            "acme/boot/Loader.class",
            "acme/boot/Premain.class",
            "inst/META-INF/services/acme.agent.Spi",
            "inst/META-INF/versions/11/acme/agent/Copy.classdata",
            "inst/META-INF/versions/9/acme/agent/Copy.classdata",
            "inst/acme/agent/Copy.classdata",
            "inst/acme/agent/One.classdata",
            "inst/acme/agent/Spi.classdata",
            "inst/acme/agent/Start.classdata",
            "inst/acme/agent/text.txt",
            "inst/acme/more/Two.classdata",
        ]
    );
    assert_eq!(work.text("inst/META-INF/services/acme.agent.Spi"), "acme.agent.One\nacme.more.Two\n");
    assert_eq!(
        work.text("META-INF/MANIFEST.MF"),
        "Manifest-Version: 1.0\r\nPremain-Class: acme.boot.Premain\r\nAgent-Class: acme.boot.Premain\r\n\
         Implementation-Version: 1.4.0\r\n\r\n"
    );
    for line in
        ["Dropped `META-INF/INDEX.LIST` of `agent.jar`", "2 classes at the root, inst 7", "Joined `inst/META-INF/"]
    {
        assert!(stderr.contains(line), "{stderr}");
    }
}

#[test]
fn versions_at_the_root_with_another_suffix() {
    let work = work();
    let more = "suffix = \".esclazz\"\nversions = \"root\"\n";
    toml(&work, "", "", &format!("{BOOT}{}{ATTRIBUTES}", section("agent", more)));
    build(&work, &[]);
    expect(&work, "agent/,.esclazz,root,acme.agent.Start", &says(11, "One, Two"));
    let names = work.names();
    assert!(names.contains(&"META-INF/versions/11/agent/acme/agent/Copy.esclazz".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with(".classdata")), "{names:?}");
    // Without it no reader looks for copies at the root.
    assert!(work.text("META-INF/MANIFEST.MF").contains("Multi-Release: true\r\n"));
}

#[test]
fn a_suffix_of_ones_own_is_known_to_verify_and_inspect() {
    let work = work();
    toml(&work, "", "", &format!("{BOOT}{}{ATTRIBUTES}", section("META-INF/acme/agent/", "suffix = \".acme\"\n")));
    build(&work, &[]);
    expect(&work, "META-INF/acme/agent/,.acme,inside,acme.agent.Start", &says(11, "One, Two"));
    assert!(work.text("META-INF/MANIFEST.MF").contains("Fatagent-Sections: META-INF/acme/agent=.acme\r\n"));
    let verified = work.fatagent(&["verify", "out.jar"]).stdout;
    assert!(verified.starts_with("section META-INF/acme/agent: 7 classes\n"), "{verified}");
    let inspected = work.fatagent(&["inspect", "out.jar"]).stdout;
    assert!(inspected.contains("section    META-INF/acme/agent, 7 classes, "), "{inspected}");
    assert!(inspected.contains("bootstrap  2 classes, "), "{inspected}");
}

#[test]
fn several_sections_and_the_same_bytes_each_time() {
    let work = work();
    let sections = "[[section]]\npath = \"one\"\nfrom = [\"agent.jar\"]\nexclude = [\"META-INF/versions/**\"]\n\
                    [[section]]\npath = \"two\"\nfrom = [\"more.jar\", \"extra.jar\"]\n";
    toml(&work, "", "", &format!("{BOOT}{sections}{ATTRIBUTES}"));
    let stderr = build(&work, &["-v"]);
    expect(&work, "one/,.classdata,inside,acme.agent.Start", &says(8, "One"));
    assert!(
        stderr.contains(
            "Excluded of `agent.jar` by `META-INF/versions/**` of the section `one`, 2: `META-INF/versions/11/"
        ),
        "{stderr}"
    );
    assert!(stderr.contains("two: acme.more.Two (`acme/more/Two.class` of `more.jar`)"), "{stderr}");
    let first = fs_err::read(work.path("out.jar")).unwrap();
    let again = work.fatagent_with(&["build", "-o", "again.jar"], &[("TZ", "Asia/Tokyo"), ("RAYON_NUM_THREADS", "1")]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(fs_err::read(work.path("again.jar")).unwrap() == first, "other bytes");
}

#[test]
fn a_section_may_be_called_as_a_package_of_the_root() {
    let work = work();
    toml(&work, "", "", &format!("{BOOT}{}{ATTRIBUTES}", section("acme", "")));
    let stderr = build(&work, &[]);
    assert!(stderr.contains("2 classes at the root, acme 7"), "{stderr}");
    expect(&work, "acme/,.classdata,inside,acme.agent.Start", &says(11, "One, Two"));
    let both = BOOT.replace("boot.jar\"", "boot.jar\", \"more.jar\"");
    toml(&work, "", "", &format!("{both}{}{ATTRIBUTES}", section("acme", "")));
    assert!(crate::agent::refused(&work).contains("class `acme.more.Two` would be both at the root"));
}

#[test]
fn a_class_in_both_places_needs_to_be_allowed() {
    let work = work();
    let bootstrap =
        "[bootstrap]\nfrom = [\"boot.jar\", \"agent.jar\"]\ninclude = [\"acme/boot/*\", \"acme/agent/Spi.class\"]\n";
    let rest = format!("{bootstrap}{}{ATTRIBUTES}", section("inst", ""));
    // What is included goes to the root instead.
    toml(&work, "", "", &rest);
    build(&work, &[]);
    let spi = |root: bool, masked: bool| {
        let names = work.names();
        let has = |name: &str| names.iter().any(|known| known == name);
        assert_eq!((has("acme/agent/Spi.class"), has("inst/acme/agent/Spi.classdata")), (root, masked));
    };
    spi(true, false);
    toml(&work, "", "", &format!("{rest}[verify]\nallow-both = [\"acme.agent.Spi\", \"no.Such\"]\n"));
    let stderr = build(&work, &[]);
    spi(true, true);
    assert!(stderr.contains("`allow-both` lists what is not both at the root and in a section: `no.Such`"), "{stderr}");
    assert!(work.text("META-INF/MANIFEST.MF").contains("Fatagent-Allow-Both: acme.agent.Spi,no.Such\r\n"));
    expect(&work, "inst/,.classdata,inside,acme.agent.Start", &says(11, "One, Two"));

    let both = "[bootstrap]\nfrom = [\"boot.jar\", \"more.jar\"]\n";
    toml(&work, "", "", &format!("{both}{}{ATTRIBUTES}", section("inst", "")));
    let stderr = crate::agent::refused(&work);
    assert!(
        stderr.contains(
            "class `acme.more.Two` would be both at the root (`acme/more/Two.class` of `more.jar`) and in the section \
             `inst` (`acme/more/Two.class` of `more.jar`)"
        ),
        "{stderr}"
    );
}

#[test]
fn flattened_packages_lose_their_copies() {
    let work = work();
    let top = "flatten-versions = [\"acme.agent\"]\n";
    toml(&work, top, "", &format!("{BOOT}{}{ATTRIBUTES}", section("inst", "")));
    let stderr = build(&work, &[]);
    expect(&work, "inst/,.classdata,inside,acme.agent.Start", &says(11, "One, Two"));
    assert!(!work.names().iter().any(|name| name.contains("versions")), "{:?}", work.names());
    assert!(
        stderr.contains(
            "Flattened `acme.agent` of `agent.jar`, 1: `META-INF/versions/11/acme/agent/Copy.class`, instead of 2: \
             `acme/agent/Copy.class` …; it now needs Java 11"
        ),
        "{stderr}"
    );
}

#[test]
fn one_jar_is_split_by_patterns() {
    let work = work();
    let mut all =
        Jar::new().manifest(b"Manifest-Version: 1.0\r\n\r\nName: acme/boot/\r\nImplementation-Title: T\r\n\r\n");
    for jar in ["boot.jar", "agent.jar"] {
        for name in fixtures::entry_names(&work.path(jar)).unwrap() {
            if name != "META-INF/MANIFEST.MF" {
                all = all.file(&name, &fixtures::read_entry(&work.path(jar), &name).unwrap());
            }
        }
    }
    work.jar("all.jar", &all);
    let rest = "[bootstrap]\ninclude = [\"acme/**\"]\nexclude = [\"acme/agent/**\"]\n[[section]]\npath = \"inst\"\nfrom = \
                [\"all.jar\"]\n";
    toml(&work, "", "", &format!("{rest}{ATTRIBUTES}"));
    let stderr = build(&work, &[]);
    expect(&work, "inst/,.classdata,inside,acme.agent.Start", &says(11, "One"));
    assert!(stderr.contains("2 classes at the root, inst 6"), "{stderr}");
    assert!(
        stderr.contains("`META-INF/versions` of `all.jar` counts from now on, which it did not in that jar"),
        "{stderr}"
    );
    assert!(work.text("META-INF/MANIFEST.MF").ends_with("\r\nName: acme/boot/\r\nImplementation-Title: T\r\n\r\n"));
}

#[test]
fn files_go_to_a_folder_and_nested_jars_stay_stored() {
    let work = work();
    fs_err::create_dir_all(work.path("conf/deep")).unwrap();
    fs_err::write(work.path("conf/deep/a.yaml"), "a: 1\n").unwrap();
    let files = "[[files]]\nfrom = [\"extra.jar\", \"conf/**/*.yaml\"]\ninto = \"extensions/\"\n\
                 [[files]]\nfrom = [\"conf/deep/a.yaml\"]\ninto = \".\"\n";
    toml(&work, "", "", &format!("{BOOT}{}{ATTRIBUTES}{files}", section("inst", "")));
    build(&work, &[]);
    let names: Vec<String> =
        work.names().into_iter().filter(|name| name.contains("ext") && !name.contains("text")).collect();
    assert_eq!(names, ["extensions/deep/a.yaml", "extensions/extra.jar"]);
    assert_eq!(work.text("a.yaml"), "a: 1\n");
    let archive = Archive::open(&work.path("out.jar")).unwrap();
    let nested = &archive.entries()[archive.index_of("extensions/extra.jar").unwrap()];
    assert!(nested.stored);
    assert_eq!(work.read("extensions/extra.jar"), fs_err::read(work.path("extra.jar")).unwrap());
}
