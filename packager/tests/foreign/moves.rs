//! Classes of the inputs that move, while those of the base stay.

use crate::agent::{ATTRIBUTES, BOOT, build, expect, says, section, toml, work};
use crate::bases::{BASE, vendor};

#[test]
fn classes_move_at_the_root_and_by_the_rules_of_a_section() {
    for (suffix, more) in [(".classdata", ""), (".acme", "suffix = \".acme\"\nversions = \"root\"\n")] {
        let work = work();
        let of_section =
            format!("{more}relocate = {{ \"acme.more\" = \"x.more\", \"acme.agent.Copy\" = \"y.Copy\" }}\n");
        let global = "[relocate]\n\"acme.boot\" = \"x.boot\"\n";
        toml(&work, "", "", &format!("{BOOT}{}{global}{ATTRIBUTES}", section("inst", &of_section)));
        let stderr = build(&work, &[]);
        let names = work.names();
        for name in ["x/boot/Premain.class", &format!("inst/x/more/Two{suffix}"), &format!("inst/y/Copy{suffix}")] {
            assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
        }
        let copies: Vec<&String> =
            names.iter().filter(|name| name.contains("versions/11") && name.contains("Copy")).collect();
        let copy = if more.is_empty() {
            "inst/META-INF/versions/11/y/Copy.classdata"
        } else {
            "META-INF/versions/11/inst/y/Copy.acme"
        };
        assert_eq!(copies, [copy]);
        assert!(!names.iter().any(|name| name.contains("acme/more") || name.contains("acme/boot")), "{names:?}");
        assert_eq!(work.text("inst/META-INF/services/acme.agent.Spi"), "acme.agent.One\nx.more.Two\n");
        // The description names the class as it was.
        assert!(work.text("META-INF/MANIFEST.MF").contains("Premain-Class: x.boot.Premain\r\n"));
        assert!(stderr.contains("Relocated "), "{stderr}");
        let versions = if more.is_empty() { "inside" } else { "root" };
        expect(&work, &format!("inst/,{suffix},{versions},acme.agent.Start"), &says(11, "One, Two"));
    }
}

#[test]
fn what_the_base_holds_keeps_its_name_for_those_who_use_it() {
    let work = vendor();
    let sections = "[[section]]\npath = \"inst\"\nfrom = [\"extra.jar\"]\n[relocate]\n\"acme\" = \"x\"\n";
    toml(&work, "", BASE, sections);
    build(&work, &[]);
    assert!(work.names().contains(&"inst/x/extra/Extra.classdata".to_owned()), "{:?}", work.names());
    assert_eq!(work.text("inst/META-INF/services/acme.agent.Spi"), "acme.agent.One\nacme.more.Two\nx.extra.Extra\n");
    expect(&work, "inst/,.classdata,inside,acme.agent.Start", &says(11, "One, Two, Extra"));
    expect(&work, "inst/,.classdata,inside,x.extra.Extra", "extra in Loader");
}

/// Nobody would look for the class under its old name in a jar that is kept whole.
#[test]
fn a_jar_that_is_added_whole_and_has_classes_that_move_is_told() {
    let work = work();
    let inner = fs_err::read(work.path("more.jar")).unwrap();
    work.jar("outer.jar", &fixtures::Jar::new().file("lib/inner.jar", &inner));
    let files = "[[files]]\nfrom = [\"more.jar\", \"outer.jar\", \"app.jar\"]\ninto = \"libs\"\n";
    let rules = "[relocate]\n\"acme.more\" = \"x.more\"\n";
    toml(&work, "", "", &format!("{BOOT}{}{files}{rules}{ATTRIBUTES}", section("inst", "")));
    let stderr = build(&work, &[]);
    let warnings: Vec<&str> = stderr.lines().filter(|line| line.contains("is not relocated")).collect();
    assert_eq!(warnings.len(), 2, "{stderr}");
    assert!(warnings[0].contains("`more.jar` is not relocated") && warnings[0].contains("acme/more/"), "{stderr}");
    assert!(warnings[1].contains("`lib/inner.jar` of `outer.jar` is not relocated"), "{stderr}");
    assert_eq!(work.read("libs/more.jar"), inner);
}
