//! Published libraries: every class that loads before relocation loads after it.

use crate::harness::{Classes, LIMIT, homes, javac, read_classes, write_classes};
use classfile::relocate::{Literals, Rules, relocate};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Libraries of several compilers and ages, with what they need.
const JARS: [&str; 6] = [
    "com.google.guava:guava:33.4.0-jre",
    "org.jetbrains.kotlin:kotlin-stdlib:2.1.0",
    "com.fasterxml.jackson.core:jackson-core:2.18.2",
    "net.bytebuddy:byte-buddy:1.15.11",
    "org.scala-lang:scala-library:2.13.15",
    "commons-collections:commons-collections:3.2.2",
];

/// Links classes and prints each that does.
const LINK: &str = r#"
import java.nio.file.*;
public class Link {
    public static void main(String[] a) throws Exception {
        StringBuilder out = new StringBuilder();
        for (String name : Files.readAllLines(Path.of(a[0]))) {
            try {
                Class<?> c = Class.forName(name, false, Link.class.getClassLoader());
                c.getDeclaredMethods();
                c.getDeclaredFields();
                java.lang.invoke.MethodHandles.lookup().in(c);
                out.append(name).append('\n');
            } catch (Throwable e) {
                System.err.println(name + " " + e);
            }
        }
        System.out.print(out);
    }
}"#;

fn link(home: &fixtures::JavaHome, folder: &Path, classes: &Classes) -> Vec<String> {
    let names = folder.with_extension("names");
    let mut text = String::new();
    for name in classes.keys().filter(|name| !name.ends_with("-info") && !name.starts_with("META-INF")) {
        writeln!(text, "{}", name.replace('/', ".")).unwrap();
    }
    fs_err::write(&names, text).unwrap();
    let mut java = Command::new(home.path.join("bin/java"));
    java.args(["-Xverify:all", "-XX:-PrintWarnings", "-cp"]).arg(folder).arg("Link").arg(&names);
    let output = fixtures::run(&mut java, LIMIT).unwrap();
    assert!(output.status.success(), "{}", output.both());
    output.stdout.lines().map(str::to_owned).collect()
}

#[test]
#[ignore = "part of `cargo xtask e2e corpus`"]
fn classes_of_published_jars_load_as_before() {
    let folder = TempDir::new().unwrap();
    let mut classes = Classes::new();
    for jar in JARS {
        let mut mvn = Command::new("mvn");
        mvn.args([
            "-q",
            "-B",
            "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy",
            "-Dmdep.useBaseVersion=true",
        ]);
        mvn.arg(format!("-Dartifact={jar}")).arg(format!("-DoutputDirectory={}", folder.path().join("jars").display()));
        let output = fixtures::run(mvn.current_dir(folder.path()), LIMIT).unwrap();
        assert!(output.status.success(), "{}", output.both());
    }
    for (number, entry) in fs_err::read_dir(folder.path().join("jars")).unwrap().enumerate() {
        let out = folder.path().join(format!("jar{number}"));
        fixtures::unzip(&entry.unwrap().path(), &out).unwrap();
        classes.extend(read_classes(&out));
    }
    assert!(classes.len() > 12_000, "{}", classes.len());
    let rules = Rules::new(
        ["com.google", "kotlin", "com.fasterxml.jackson", "net.bytebuddy", "scala", "org.apache.commons"]
            .map(|from| (from.to_owned(), format!("shadow.{from}"))),
    )
    .unwrap();
    let known = |name: &str| classes.contains_key(name);
    let mut moved = Classes::new();
    for (path, bytes) in &classes {
        let result =
            relocate(bytes, &rules, &Literals::Descriptors(&known)).unwrap_or_else(|e| panic!("{path}: {e:?}"));
        let new =
            rules.path(&format!("{path}.class")).map_or(path.clone(), |new| new.trim_end_matches(".class").into());
        if !path.starts_with("META-INF") {
            assert_eq!(new.as_bytes(), result.name);
        }
        moved.insert(new, result.bytes.unwrap_or_else(|| bytes.clone()));
    }
    let (old_folder, new_folder) = (folder.path().join("old"), folder.path().join("new"));
    let link_class = javac(&[("Link.java", LINK)], &[]);
    for (folder, classes) in [(&old_folder, &classes), (&new_folder, &moved)] {
        write_classes(folder, classes);
        write_classes(folder, &link_class);
    }
    for home in homes() {
        let mut old: Vec<String> =
            link(&home, &old_folder, &classes).into_iter().map(|name| rules.dotted(&name).unwrap_or(name)).collect();
        let mut new = link(&home, &new_folder, &moved);
        old.sort();
        new.sort();
        assert!(old.len() > 9_000, "{}", old.len());
        let lost: Vec<_> = old.iter().filter(|name| new.binary_search(name).is_err()).collect();
        assert_eq!(lost, Vec::<&String>::new(), "on {}", home.feature);
        assert_eq!(old.len(), new.len());
    }
}
