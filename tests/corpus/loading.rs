//! Every class of a set of libraries that loads before relocation loads after it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::harness::{Jdk, Settings, Test, e2e_test_with, fatagent, libraries, step};

/// The libraries.
const LIBRARIES: [&str; 10] = [
    "com.google.guava:guava:33.4.0-jre",
    "io.netty:netty-handler:4.1.118.Final",
    "io.netty:netty-codec-http2:4.1.118.Final",
    "io.netty:netty-resolver-dns:4.1.118.Final",
    "io.netty:netty-codec-mqtt:4.1.118.Final",
    "io.netty:netty-codec-redis:4.1.118.Final",
    "com.fasterxml.jackson.core:jackson-databind:2.18.2",
    "org.jetbrains.kotlin:kotlin-stdlib:2.1.0",
    "net.bytebuddy:byte-buddy:1.15.11",
    "io.grpc:grpc-netty-shaded:1.69.0",
];

/// What moves below `shadow`.
const MOVED: [&str; 8] = [
    "com.google.common",
    "com.google.gson",
    "io.netty",
    "com.fasterxml.jackson",
    "kotlin",
    "net.bytebuddy",
    "io.grpc",
    "io.perfmark",
];
/// What of that stays.
const KEPT: &str = "io.grpc.netty.shaded";

/// Links every class of a jar and says of each whether that worked.
///
/// `Class.forName` with `false` only loads a class; verification is a part of linking. `getDeclaredFields` links in `HotSpot`
/// before it looks at anything, and of all that links it asks for the fewest other classes. Initialisation would link too,
/// but run static initializers, which start threads and fail for reasons of their own.
const LINK: &str = r#"
import java.util.*;
public class Link {
    public static void main(String[] jars) throws Exception {
        java.net.URL[] urls = { new java.io.File(jars[0]).toURI().toURL() };
        ClassLoader loader = new java.net.URLClassLoader(urls, ClassLoader.getSystemClassLoader().getParent());
        StringBuilder out = new StringBuilder();
        try (java.util.zip.ZipFile zip = new java.util.zip.ZipFile(jars[0])) {
            for (Enumeration<? extends java.util.zip.ZipEntry> all = zip.entries(); all.hasMoreElements();) {
                String path = all.nextElement().getName();
                if (!path.endsWith(".class") || path.startsWith("META-INF/")) continue;
                String name = path.substring(0, path.length() - 6).replace('/', '.');
                String said = "linked";
                try {
                    Class<?> c = Class.forName(name, false, loader);
                    try { c.getDeclaredFields(); } catch (NoClassDefFoundError e) { said = "lacks"; }
                } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError e) {
                    said = e.getClass().getName();
                } catch (LinkageError | ClassNotFoundException e) {
                    said = "lacks";
                }
                out.append(name).append('\t').append(said).append('\n');
            }
        }
        System.out.write(out.toString().getBytes("UTF-8"));
        System.out.flush();
    }
}
"#;

fn linked(test: &Test, jdk: &Jdk, jar: &Path) -> BTreeMap<String, String> {
    step(format!("linking `{}` on {}", jar.display(), jdk.feature));
    let driver = test.compile_with(&[("Link.java", LINK)], &["--release", "8", "-Xlint:-options"]);
    let mut java = Command::new(jdk.java());
    java.args(["-Xverify:all", "-Xshare:auto", "-cp"]).arg(driver).arg("Link").arg(jar);
    let output = test.run(&mut java).expect_code(0);
    let lines = output.stdout.lines().filter_map(|line| line.split_once('\t'));
    lines.map(|(name, said)| (name.to_owned(), said.to_owned())).collect()
}

/// The new name of a class, by another algorithm than the one under test.
fn renamed(name: &str) -> String {
    let below = |package: &str| name.strip_prefix(package).is_some_and(|rest| rest.starts_with('.'));
    if MOVED.iter().any(|package| below(package)) && !below(KEPT) { format!("shadow.{name}") } else { name.to_owned() }
}

#[test]
fn what_linked_before_eight_relocations_links_after_them() {
    e2e_test_with("corpus", &Settings::within(std::time::Duration::from_mins(20), None), |test| {
        let jars = libraries("medium", &LIBRARIES);
        assert!(jars.len() >= 30, "{jars:?}");
        let merge = |name: &str, rules: &[String]| {
            let jar = test.folder().join(name);
            let mut command = fatagent();
            command.arg("merge").args(&jars).arg("-o").arg(&jar).args(rules);
            // Two jars of Google's hold one annotation compiled twice.
            command.args(["--merge", "com/google/**/*.class=first", "--merge", "META-INF/**=first"]);
            test.run(&mut command).expect_code(0);
            jar
        };
        let before = merge("before.jar", &[]);
        let mut rules: Vec<String> =
            MOVED.iter().flat_map(|name| ["--relocate".to_owned(), format!("{name}=shadow.{name}")]).collect();
        rules.extend(["--relocate".to_owned(), format!("{KEPT}={KEPT}")]);
        let after = merge("after.jar", &rules);
        for jdk in &[17, 25].map(Jdk::of) {
            let expected: BTreeMap<String, String> =
                linked(test, jdk, &before).into_iter().map(|(name, said)| (renamed(&name), said)).collect();
            assert!(expected.values().filter(|said| *said == "linked").count() > 13_000, "{}", expected.len());
            let found = linked(test, jdk, &after);
            let different: Vec<_> = expected
                .iter()
                .filter(|(name, said)| found.get(*name) != Some(said))
                .map(|(name, said)| (name, said, found.get(name)))
                .take(10)
                .collect();
            assert!(different.is_empty(), "on {}: {different:#?}", jdk.feature);
            assert_eq!(found.len(), expected.len(), "on {}", jdk.feature);
        }
    });
}
