//! Files that libraries read themselves, read by those libraries after they were joined and relocated.

use std::path::Path;
use std::process::Command;

use crate::harness::{Jdk, Test, e2e_test, fatagent, maven_artifact};

const JAVA_8: [&str; 3] = ["--release", "8", "-Xlint:-options"];

/// Compiles a program against jars, and runs it with them and `arguments`.
#[track_caller]
fn run(test: &Test, source: (&str, &str), jars: &[&Path], arguments: &[&Path]) -> String {
    let path = std::env::join_paths(jars).expect("a class path").into_string().expect("UTF-8");
    let classes = test.compile_with(&[source], &[&JAVA_8[..], &["-cp", &path]].concat());
    let all = std::env::join_paths([&[classes.as_path()], jars].concat()).expect("a class path");
    let main = source.0.trim_end_matches(".java");
    let mut java = Command::new(Jdk::any().java());
    test.run(java.arg("-cp").arg(all).arg(main).args(arguments)).expect_code(0).stdout
}

const CONFIG: &str = r#"
import com.typesafe.config.*;
public class Config {
    public static void main(String[] jars) {
        com.typesafe.config.Config c = ConfigFactory.load();
        System.out.println(c.getInt("a") + " " + c.getString("b.c") + " " + c.getBoolean("b.f") + " "
            + c.getConfigList("d").get(0).getString("e") + " " + c.getString("g"));
    }
}
"#;

#[test]
fn configurations_with_braces_around_them_are_joined() {
    e2e_test("Typesafe Config", |test| {
        let library = maven_artifact("com.typesafe:config:1.4.3");
        let texts = [
            "# first {\n{\n  a = 1, b { c = \"}\" }\n} // end {\n",
            "{ \"a\" : 2, \"d\" : [ { \"e\" : \"#{\" } ], }",
            "b.f = true\na = 3\ng = \"\"\"{\"}\"\"\"",
        ];
        let mut command = fatagent();
        command.arg("merge");
        for (number, text) in texts.iter().enumerate() {
            let jar = test.folder().join(format!("{number}.jar"));
            fixtures::Jar::new().file("reference.conf", text.as_bytes()).write(&jar).expect("a jar");
            command.arg(jar);
        }
        let joined = test.folder().join("joined.jar");
        test.run(command.arg("-o").arg(&joined)).expect_code(0);
        assert_eq!(run(test, ("Config.java", CONFIG), &[&library, &joined], &[]), "1 } true #{ {\"}\n");
    });
}

/// Kotlin's own reader of module tables.
const MODULE: &str = r#"
import java.util.*;
import kotlin.metadata.jvm.*;
public class Module {
    public static void main(String[] arguments) throws Exception {
        try (java.util.zip.ZipFile jar = new java.util.zip.ZipFile(arguments[0])) {
            for (Enumeration<? extends java.util.zip.ZipEntry> all = jar.entries(); all.hasMoreElements();) {
                java.util.zip.ZipEntry entry = all.nextElement();
                if (!entry.getName().endsWith(".kotlin_module")) continue;
                java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
                java.io.InputStream in = jar.getInputStream(entry);
                for (int b = in.read(); b >= 0; b = in.read()) bytes.write(b);
                KmModule module = KotlinModuleMetadata.read(bytes.toByteArray()).getKmModule();
                for (Map.Entry<String, KmPackageParts> part : new TreeMap<>(module.getPackageParts()).entrySet()) {
                    Map<String, String> names = new TreeMap<>(part.getValue().getMultiFileClassParts());
                    for (String facade : part.getValue().getFileFacades()) names.put(facade, "null");
                    for (Map.Entry<String, String> name : names.entrySet()) {
                        boolean there = jar.getEntry(name.getKey() + ".class") != null;
                        System.out.println(part.getKey() + " " + name.getKey() + " " + there + " " + name.getValue());
                    }
                }
            }
        }
    }
}
"#;

#[test]
fn module_tables_of_kotlin_move_as_its_own_reader_sees_them() {
    e2e_test("Kotlin", |test| {
        let standard = maven_artifact("org.jetbrains.kotlin:kotlin-stdlib:2.1.0");
        let reader = maven_artifact("org.jetbrains.kotlin:kotlin-metadata-jvm:2.1.0");
        let moved = test.folder().join("moved.jar");
        let mut command = fatagent();
        command.arg("merge").arg(&standard).arg("-o").arg(&moved).args(["--relocate", "kotlin=shadow.kotlin"]);
        let stderr = test.run(&mut command).expect_code(0).stderr;
        assert!(!stderr.contains("copied untouched"), "{stderr}");
        let read = |jar: &Path| run(test, ("Module.java", MODULE), &[&standard, &reader], &[jar]);
        let (before, after) = (read(&standard), read(&moved));
        assert!(before.lines().count() > 50, "{before}");
        assert!(before.contains("kotlin.collections kotlin/collections/CollectionsKt__CollectionsKt true kotlin/collections/CollectionsKt"), "{before}");
        // The files of the output are sorted, those of the library are not.
        let mut expected: Vec<String> = before
            .lines()
            .map(|line| {
                let words: Vec<&str> = line.split(' ').collect();
                let new = |name: &str, separator: &str| format!("shadow{separator}{name}");
                let facade = if words[3] == "null" { "null".to_owned() } else { new(words[3], "/") };
                format!("{} {} {} {facade}", new(words[0], "."), new(words[1], "/"), words[2])
            })
            .collect();
        let mut found: Vec<&str> = after.lines().collect();
        expected.sort();
        found.sort_unstable();
        let different = expected.iter().zip(&found).find(|(expected, found)| expected != found);
        assert_eq!((different, found.len()), (None, expected.len()));
    });
}
