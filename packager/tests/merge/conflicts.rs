//! Two files at one path: what collapses, what stops, what decides.

use fixtures::Jar;

use crate::work::{RELEASE_8, Work};

fn two(path: &str, one: &[u8], two: &[u8]) -> Work {
    let work = Work::new();
    work.jar("a.jar", &Jar::new().attribute("Main-Class", "a.A").file(path, one));
    work.jar("b.jar", &Jar::new().attribute("Main-Class", "b.B").file(path, two));
    work
}

#[test]
fn different_files_stop_the_merge_and_both_are_named() {
    let work = two("org/dep/A.class", b"one", b"two");
    let stderr = work.refused(&["a.jar", "b.jar"]);
    let message =
        "two different files claim `org/dep/A.class`: `org/dep/A.class` of `a.jar`, and `org/dep/A.class` of `b.jar`";
    assert!(stderr.contains(message), "{stderr}");
    assert!(stderr.contains("hint: decide with `--merge PATH=RULE`"), "{stderr}");
}

#[test]
fn all_conflicts_are_counted() {
    let work = Work::new();
    for (jar, text) in [("a.jar", b"1"), ("b.jar", b"2")] {
        let files = ["p", "q", "r", "s", "t", "u"];
        work.jar(jar, &files.into_iter().fold(Jar::new(), |jar, name| jar.file(name, text)));
    }
    let stderr = work.refused(&["a.jar", "b.jar"]);
    assert!(stderr.contains("two different files claim `p`: "), "{stderr}");
    assert!(stderr.contains("; likewise `q`, `r`, `s` and 2 more\n"), "{stderr}");
}

#[test]
fn identical_files_collapse_however_they_are_compressed() {
    let work = Work::new();
    work.jar("a.jar", &Jar::new().file("x.txt", &[b'x'; 5000]));
    work.jar("b.jar", &Jar::new().stored("x.txt", &[b'x'; 5000]));
    let stderr = work.merge(&["a.jar", "b.jar", "-v"]);
    assert!(stderr.contains("`x.txt` of `b.jar` is the same as `x.txt` of `a.jar`: kept once"), "{stderr}");
    assert_eq!(work.read("x.txt"), [b'x'; 5000]);
}

#[test]
fn equal_checksums_are_not_taken_for_equal_bytes() {
    // Two texts of one length and one CRC-32.
    let (one, two_) = (b"plumless", b"buckeroo");
    let work = two("x.txt", one, two_);
    assert!(work.refused(&["a.jar", "b.jar"]).contains("two different files claim `x.txt`"));
}

#[test]
fn the_user_decides_and_is_told() {
    let work = two("legal/x.txt", b"one", b"two\n");
    for (rule, expected, report) in [
        ("first", "one", "Kept `legal/x.txt` of `a.jar`, not of `b.jar`, by `legal/**` as first"),
        ("last", "two\n", "Kept `legal/x.txt` of `b.jar`, not of `a.jar`, by `legal/**` as last"),
        ("concatenate", "onetwo\n", "Joined `legal/x.txt` (`legal/**` as concatenate) of `a.jar`, `b.jar`"),
        ("append", "one\ntwo\n", "Joined `legal/x.txt` (`legal/**` as append) of `a.jar`, `b.jar`"),
    ] {
        let stderr = work.merge(&["a.jar", "b.jar", "--merge", &format!("legal/**={rule}")]);
        assert_eq!(work.text("legal/x.txt"), expected);
        assert!(stderr.contains(report), "{stderr}");
    }
    fs_err::remove_file(work.path("out.jar")).unwrap();
    let stderr = work.refused(&["a.jar", "b.jar", "--merge", "legal/x.txt=error", "--merge", "**=first"]);
    assert!(stderr.contains("two different files claim `legal/x.txt`"), "the first matching pattern counts: {stderr}");
}

#[test]
fn a_decision_goes_before_the_rule_of_the_kind() {
    let work = two("META-INF/services/a.I", b"a.A", b"a.B");
    work.merge(&["a.jar", "b.jar", "--merge", "META-INF/services/*=last"]);
    assert_eq!(work.text("META-INF/services/a.I"), "a.B");
}

#[test]
fn appended_properties_tell_what_is_replaced() {
    let work = two("a.properties", b"k=1\nl=2", b"k=3\n");
    let stderr = work.merge(&["a.jar", "b.jar", "--merge", "*.properties=append"]);
    assert_eq!(work.text("a.properties"), "k=1\nl=2\nk=3\n");
    assert!(stderr.contains("`k` of `a.properties` of `b.jar` replaces that of `a.properties` of `a.jar`"), "{stderr}");
}

#[test]
fn malformed_options_are_usage_errors() {
    let work = two("x", b"1", b"2");
    for (arguments, message) in [
        (&["--merge", "x"][..], "not of the form `GLOB=RULE`"),
        (&["--merge", "x=any"], "the rule is none of `first`, `last`, `concatenate`, `append` and `error`"),
        (&["--attribute", "x"], "not of the form `K=V`"),
    ] {
        let run = work.fatagent(&[&["merge", "a.jar", "-o", "out.jar"], arguments].concat());
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    let stderr = work.refused(&["a.jar", "--merge", "/x=first"]);
    assert!(stderr.contains("--merge: not a pattern: `/x`: it is not relative"), "{stderr}");
    let stderr = work.refused(&["a.jar", "absent.jar"]);
    assert!(stderr.contains("file does not exist: `absent.jar`"), "{stderr}");
}

#[test]
fn an_agent_toml_with_the_plain_layout_builds_the_same_jar() {
    let work = two("legal/x.txt", b"one", b"two");
    let arguments = ["--merge", "legal/**=concatenate", "--attribute", "Specification-Title=Acme"];
    work.merge(&[&["a.jar", "b.jar"], &arguments[..]].concat());
    let merged = fs_err::read(work.path("out.jar")).unwrap();
    let toml = "[agent]\nname = \"acme\"\nversion = \"1\"\nlayout = \"plain\"\nbase = { file = \"a.jar\" }\n\
                [bootstrap]\nfrom = [\"b*.jar\"]\n[merge]\n\"legal/**\" = \"concatenate\"\n\
                [manifest]\nattributes = { Specification-Title = \"Acme\" }\n";
    fs_err::write(work.path("agent.toml"), toml).unwrap();
    let run = work.fatagent(&["build"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "acme.jar\n"), "{}", run.stderr);
    assert_eq!(fs_err::read(work.path("acme.jar")).unwrap(), merged);

    for (more, message) in [
        ("[args]\nport = 1\n", "`args` with `layout = \"plain\"` is not supported by this version yet"),
        ("[[extension]]\npath = \"e\"\n", "`extension` with `layout = \"plain\"` is not supported"),
    ] {
        fs_err::write(work.path("agent.toml"), format!("{toml}{more}")).unwrap();
        let run = work.fatagent(&["build"]);
        assert_eq!(run.code, Some(1));
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    let toml = "[agent]\nname = \"acme\"\nversion = \"1\"\nlayout = \"plain\"\nbase = \"builtin\"\n";
    fs_err::write(work.path("agent.toml"), toml).unwrap();
    assert!(work.fatagent(&["build"]).stderr.contains("`base = \"builtin\"` with `layout = \"plain\"`"));
    fs_err::write(work.path("agent.toml"), toml.replace("base = \"builtin\"\n", "")).unwrap();
    assert!(work.fatagent(&["build"]).stderr.contains("error: no jar to merge\n"));
}

#[test]
fn folders_stay_so_that_they_are_found_as_resources() {
    let work = Work::new();
    let main = work.class(
        &[(
            "p/M.java",
            "package p; public class M { public static void main(String[] a) {
            System.out.println(M.class.getClassLoader().getResource(\"conf/\") != null); } }",
        )],
        &RELEASE_8,
        "p/M.class",
    );
    work.jar("a.jar", &Jar::new().file("p/M.class", &main).folder("conf/").file("conf/x", b"1"));
    work.jar("b.jar", &Jar::new().folder("META-INF/").folder("conf/").folder("empty/"));
    work.merge(&["a.jar", "b.jar"]);
    assert_eq!(work.names(), ["META-INF/", "META-INF/MANIFEST.MF", "conf/", "conf/x", "empty/", "p/M.class"]);
    work.java(&["-cp", "out.jar", "p.M"], "true\n");
}
