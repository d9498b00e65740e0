//! Provider files, plugin caches and other files of which every jar may have one.

use fixtures::Jar;

use crate::work::{RELEASE_8, Work};

pub(crate) const CACHE: &str = "META-INF/org/apache/logging/log4j/core/config/plugins/Log4j2Plugins.dat";

/// A plugin cache with one category, `core`, and one plugin.
pub(crate) fn cache(key: &str, class: &str) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat();
    let one = 1_u32.to_be_bytes();
    [&one[..], &text("core"), &one, &text(key), &text(class), &text(key), &[0, 1]].concat()
}

/// Classes `org.dep.Spi`, `A`, `B` and a main class that prints what `ServiceLoader` finds.
pub(crate) fn providers(work: &Work) -> [Jar; 2] {
    let sources = [
        ("org/dep/Spi.java", "package org.dep; public interface Spi {}"),
        ("org/dep/A.java", "package org.dep; public class A implements Spi {}"),
        ("org/dep/B.java", "package org.dep; public class B implements Spi {}"),
        (
            "org/dep/Main.java",
            "package org.dep; public class Main { public static void main(String[] a) {
                 for (Spi spi : java.util.ServiceLoader.load(Spi.class)) System.out.println(spi.getClass().getName()); } }",
        ),
    ];
    let class = |name: &str| work.class(&sources, &RELEASE_8, name);
    let service = "META-INF/services/org.dep.Spi";
    let one = ["org/dep/Spi.class", "org/dep/A.class", "org/dep/Main.class"]
        .into_iter()
        .fold(Jar::new(), |jar, name| jar.file(name, &class(name)))
        .file(service, b"org.dep.A")
        .file(CACHE, &cache("k1", "org.dep.P1"));
    let two = Jar::new()
        .file("org/dep/B.class", &class("org/dep/B.class"))
        .file("org/dep/A.class", &class("org/dep/A.class"))
        .file(service, b"# note\r\norg.dep.B\r\norg.dep.A\r\n")
        .file(CACHE, &cache("k2", "org.dep.P2"));
    [one, two]
}

#[test]
fn case_01_providers_and_plugins_of_all_jars_survive() {
    let work = Work::new();
    let [one, two] = providers(&work);
    work.jar("a.jar", &one);
    work.jar("b.jar", &two);
    work.merge(&["a.jar", "b.jar"]);
    assert_eq!(work.text("META-INF/services/org.dep.Spi"), "org.dep.A\norg.dep.B\n");
    work.java(&["-cp", "out.jar", "org.dep.Main"], "org.dep.A\norg.dep.B\n");
    let (one, two) = (cache("k1", "org.dep.P1"), cache("k2", "org.dep.P2"));
    // Number of categories, name, and then the plugins of both behind their number.
    let head = 4 + 2 + 4;
    let expected = [&one[..head], &2_u32.to_be_bytes(), &one[head + 4..], &two[head + 4..]].concat();
    assert_eq!(work.read(CACHE), expected);
}

#[test]
fn case_01_a_cache_that_cannot_be_read_stops_the_merge() {
    let whole = cache("k", "org.dep.P");
    let longer = [&whole[..], b"x"].concat();
    for (bad, problem) in [
        (&whole[..whole.len() - 1], "it ends early"),
        (&longer, "it goes on after its end"),
        (b"text", "it ends early"),
    ] {
        let work = Work::new();
        work.jar("a.jar", &Jar::new().file(CACHE, bad));
        work.jar("b.jar", &Jar::new().file(CACHE, &whole));
        for jars in [&["a.jar"][..], &["a.jar", "b.jar"], &["b.jar", "a.jar"]] {
            let stderr = work.refused(jars);
            let message = format!("cannot join `{CACHE}` of `a.jar`: not a Log4j 2 plugin cache: {problem}");
            assert!(stderr.contains(&message), "{stderr}");
        }
    }
}

#[test]
fn files_of_frameworks_are_joined_and_reported() {
    let work = Work::new();
    let files = [
        ("META-INF/spring.factories", "p.I=p.A\n", "p.I=p.B\n", "p.I=p.A,p.B\n"),
        ("META-INF/spring.schemas", "a=b\n", "c=d\n", "a=b\nc=d\n"),
        ("META-INF/io.netty.versions.properties", "a.v=1\n", "b.v=2\n", "a.v=1\nb.v=2\n"),
        ("reference.conf", "a = 1", "a = 2", "a = 2\na = 1"),
        ("META-INF/NOTICE", "One\n", "Two\n", "===== a.jar\n\nOne\n\n===== b.jar\n\nTwo\n"),
        ("META-INF/native-image/native-image.properties", "Args=-A\n", "Args=-B\n", "Args=-A -B\n"),
    ];
    let jar = |which: fn(&(&str, &'static str, &'static str, &str)) -> &'static str| {
        files.iter().fold(Jar::new(), |jar, file| jar.file(file.0, which(file).as_bytes()))
    };
    work.jar("a.jar", &jar(|file| file.1));
    work.jar("b.jar", &jar(|file| file.2));
    let stderr = work.merge(&["a.jar", "b.jar"]);
    for (path, _, _, expected) in files {
        assert_eq!(work.text(path), expected, "{path}");
        assert!(stderr.contains(&format!("Joined `{path}` (")), "{stderr}");
    }
}

#[test]
fn tables_of_kotlin_modules_that_are_none_are_not_joined() {
    let work = Work::new();
    work.jar("a.jar", &Jar::new().file("META-INF/m.kotlin_module", b"\x00\x01"));
    work.jar("b.jar", &Jar::new().file("META-INF/m.kotlin_module", b"\x00\x02"));
    let stderr = work.refused(&["a.jar", "b.jar"]);
    let message = "cannot join `META-INF/m.kotlin_module` of `a.jar`: it is in no format that is known";
    assert!(stderr.contains(message), "{stderr}");
}
