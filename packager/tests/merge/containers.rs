//! Entries, versions and names of the output.

use fixtures::Jar;

use crate::work::{RELEASE_8, Work};

pub(crate) fn versioned(work: &Work) -> Jar {
    let class = |number: &str| {
        let source = format!(
            "package org.dep; public class A {{ public static int v() {{ return {number}; }}
             public static void main(String[] a) {{ System.out.println(v()); }} }}"
        );
        work.class(&[("org/dep/A.java", &source)], &RELEASE_8, "org/dep/A.class")
    };
    Jar::new()
        .file("org/dep/A.class", &class("8"))
        .file("META-INF/versions/9/org/dep/A.class", &class("9"))
        .file("META-INF/versions/11/org/dep/r.txt", b"r")
}

#[test]
fn case_08_versions_stay_in_use_when_a_plain_jar_comes_first() {
    let work = Work::new();
    work.jar("mr.jar", &versioned(&work).attribute("Multi-Release", "true"));
    work.jar("plain.jar", &Jar::new().attribute("Built-By", "hand").file("x.txt", b"x"));
    for jars in [["plain.jar", "mr.jar"], ["mr.jar", "plain.jar"]] {
        work.merge(&jars);
        assert!(work.text("META-INF/MANIFEST.MF").contains("Multi-Release: true\r\n"));
        for path in ["org/dep/A.class", "META-INF/versions/9/org/dep/A.class", "META-INF/versions/11/org/dep/r.txt"] {
            assert!(work.names().iter().any(|name| name == path), "{path}");
        }
        work.java(&["-cp", "out.jar", "org.dep.A"], "9\n");
    }
}

#[test]
fn case_08_versions_that_will_be_ignored_or_begin_to_count_are_warned_about() {
    let work = Work::new();
    work.jar("mr.jar", &versioned(&work).attribute("Multi-Release", "true"));
    let stderr = work.merge(&["mr.jar", "--attribute", "Multi-Release=false"]);
    let message = "files below `META-INF/versions` will be ignored, since `Multi-Release` is: false";
    assert!(stderr.contains(message), "{stderr}");
    work.java(&["-cp", "out.jar", "org.dep.A"], "8\n");

    work.jar("off.jar", &Jar::new().file("META-INF/versions/9/q.txt", b"q"));
    let stderr = work.merge(&["mr.jar", "off.jar"]);
    assert!(stderr.contains("`META-INF/versions` of `off.jar` counts from now on"), "{stderr}");
    let stderr = work.merge(&["off.jar"]);
    assert!(stderr.contains("since `Multi-Release` is: absent"), "{stderr}");
}

#[test]
fn module_descriptors_go_unless_the_first_is_kept() {
    let work = Work::new();
    let module = |name: &str| {
        let sources = [
            ("module-info.java".to_owned(), format!("module {name} {{ exports {name}; }}")),
            (
                format!("{name}/M.java"),
                format!(
                    "package {name}; public class M {{ public static void main(String[] a) {{
                System.out.println(M.class.getModule().isNamed()); }} }}"
                ),
            ),
        ];
        let sources: Vec<(&str, &str)> = sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let class = |path: &str| work.class(&sources, &["--release", "11"], path);
        let main = format!("{name}/M.class");
        Jar::new().file("module-info.class", &class("module-info.class")).file(&main, &class(&main))
    };
    work.jar("a.jar", &module("a"));
    work.jar("b.jar", &module("b").file("META-INF/versions/9/module-info.class", b"any"));
    let stderr = work.merge(&["a.jar", "b.jar"]);
    assert!(stderr.contains("Dropped `module-info.class` of `a.jar`: jars no longer are modules"), "{stderr}");
    assert!(!work.names().iter().any(|name| name.ends_with("module-info.class")));
    work.java(&["-cp", "out.jar", "a.M"], "false\n");

    let stderr = work.merge(&["a.jar", "b.jar", "--keep-module"]);
    assert!(!stderr.contains("of `a.jar`: jars no longer"), "{stderr}");
    assert!(
        stderr.contains("Dropped `module-info.class`, `META-INF/versions/9/module-info.class` of `b.jar`: "),
        "{stderr}"
    );
    assert_eq!(work.names().iter().filter(|name| name.ends_with("module-info.class")).count(), 1);
    work.java(&["-p", "out.jar", "-m", "a/a.M"], "true\n");
}

#[test]
fn case_14_names_that_differ_in_case_only() {
    let work = Work::new();
    let class = |name: &str| {
        let source =
            format!("package org.dep; public class {name} {{ public String toString() {{ return \"{name}\"; }} }}");
        work.class(&[(&format!("org/dep/{name}.java"), &source)], &RELEASE_8, &format!("org/dep/{name}.class"))
    };
    let main = work.class(
        &[("M.java", "public class M { public static void main(String[] a) throws Exception {
            for (String n : new String[] {\"org.dep.a\", \"org.dep.A\"}) System.out.println(Class.forName(n).newInstance()); } }")],
        &RELEASE_8,
        "M.class",
    );
    work.jar("a.jar", &Jar::new().file("META-INF/LICENSE", b"text").file("M.class", &main));
    work.jar("b.jar", &Jar::new().file("META-INF/license/N.txt", b"n"));
    let (small, large) = (class("a"), class("A"));
    work.jar("c.jar", &Jar::new().file("org/dep/a.class", &small).file("org/dep/A.class", &large));
    let stderr = work.merge(&["a.jar", "b.jar", "c.jar"]);
    assert!(stderr.contains("Renamed `META-INF/LICENSE` to `META-INF/LICENSE.txt`"), "{stderr}");
    assert!(stderr.contains("collides with `META-INF/license`"), "{stderr}");
    assert_eq!((work.read("org/dep/a.class"), work.read("org/dep/A.class")), (small, large));
    work.java(&["-cp", "out.jar", "M"], "a\nA\n");
    let names: Vec<String> = work.names();
    assert!(names.contains(&"META-INF/LICENSE.txt".to_owned()) && !names.contains(&"META-INF/LICENSE".to_owned()));

    work.jar("d.jar", &Jar::new().file("conf", b"d"));
    work.jar("e.jar", &Jar::new().file("CONF/x", b"e"));
    let stderr = work.merge(&["d.jar", "e.jar"]);
    assert!(stderr.contains("`conf` and `CONF` are the same on a file system that ignores case"), "{stderr}");
}

#[test]
fn case_15_the_same_bytes_whatever_the_surroundings() {
    let work = Work::new();
    for (name, number) in [("a.jar", "1"), ("b.jar", "2")] {
        work.jar(
            name,
            &Jar::new().file(&format!("f{number}"), number.as_bytes()).file("META-INF/NOTICE", number.as_bytes()),
        );
    }
    let merge = |environment: &[(&str, &str)]| {
        let run = work.fatagent_with(&["merge", "a.jar", "b.jar", "-o", "out.jar"], environment);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        fs_err::read(work.path("out.jar")).unwrap()
    };
    let one = merge(&[("TZ", "UTC"), ("RAYON_NUM_THREADS", "1")]);
    let two = merge(&[("TZ", "Asia/Tokyo"), ("RAYON_NUM_THREADS", "16")]);
    assert_eq!(one, two);
    assert_ne!(one, merge(&[("SOURCE_DATE_EPOCH", "1700000000")]));
}

#[test]
fn case_44_a_second_run_changes_nothing() {
    let work = Work::new();
    let notice = |text: &str| Jar::new().file("META-INF/NOTICE", text.as_bytes()).attribute("Main-Class", "a.A");
    work.jar("a.jar", &notice("One").file("META-INF/services/a.I", b"a.A").file("reference.conf", b"a = 1\n"));
    work.jar("b.jar", &notice("Two").file("META-INF/services/a.I", b"a.B").file("x", b"x"));
    work.merge(&["a.jar", "b.jar"]);
    let first = fs_err::read(work.path("out.jar")).unwrap();
    work.merge(&["out.jar"]);
    assert_eq!(fs_err::read(work.path("out.jar")).unwrap(), first, "the output as the only input");
    work.merge(&["out.jar", "b.jar"]);
    assert_eq!(fs_err::read(work.path("out.jar")).unwrap(), first, "the output as an input again");

    work.jar("bad.jar", &Jar::new().file("x", b"other"));
    let run = work.fatagent(&["merge", "out.jar", "bad.jar", "-o", "out.jar"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(fs_err::read(work.path("out.jar")).unwrap(), first, "a failed run leaves the output");
}
