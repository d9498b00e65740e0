//! The example projects of `templates/layouts`: agents with loaders of their own, in the layouts of three vendors.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::harness::{Builder, Jdk, Target, Test, copy_tree, each_jdk, fatagent, process_folder, step, with_jdk};
use crate::product::root;

/// An application that says whether it sees a class, and ends with its input.
const APP: &str = r#"package shop;
public class Shop {
    public static void main(String[] names) throws Exception {
        new Basket();
        for (String name : names) {
            try { System.out.println("visible " + Class.forName(name).getName()); } catch (ClassNotFoundException e) { }
        }
        System.out.println("ready");
        while (System.in.read() >= 0) { }
        System.exit(5);
    }
}
class Basket { }
"#;

/// An example that was built as its README says.
struct Example {
    jar: PathBuf,
    /// What the build said.
    said: String,
}

/// Builds the example `layout` by its own script and `fatagent build`, and verifies the jar; once, into `slot`.
#[track_caller]
fn build<'a>(slot: &'a OnceLock<Example>, test: &Test, layout: &str, jar: &str) -> &'a Example {
    slot.get_or_init(|| {
        let folder = process_folder().join("layouts").join(layout);
        // Without what somebody built there.
        let is_built = |entry: &walkdir::DirEntry| {
            entry.file_name() == "build" || entry.path().extension().is_some_and(|end| end == "jar")
        };
        copy_tree(&root().join("templates/layouts").join(layout), &folder, is_built);
        step("running the example's script");
        test.run(with_jdk(Command::new("sh").arg(folder.join("build.sh")))).expect_code(0);
        let built = test.run(with_jdk(fatagent().arg("build").current_dir(&folder))).expect_code(0);
        let jar = folder.join(jar);
        assert!(jar.is_file(), "{}\n{}", built.stdout, built.stderr);
        test.run(fatagent().arg("verify").arg(&jar)).expect_code(0);
        Example { jar, said: built.stderr }
    })
}

/// The application with the example as its agent; the arguments are names of classes it looks for.
fn shop(test: &Test, jdk: &Jdk, example: &Example, arguments: &str, names: &[&str]) -> Builder {
    let classes = test.compile_with(&[("shop/Shop.java", APP)], &["--release", "8", "-Xlint:-options"]);
    let option = format!("-javaagent:{}{arguments}", example.jar.display());
    let builder = Target::builder(jdk).jvm_option(option).class_path(classes).main("shop.Shop");
    names.iter().fold(builder, |builder, name| builder.arg(*name))
}

/// Ends the application, checks that it saw exactly the `visible` classes and was not disturbed, and returns what the
/// agent wrote.
#[track_caller]
fn end(target: &Target, visible: &[&str]) -> String {
    target.wait_for_line("ready");
    target.close_stdin();
    let output = target.wait_exit().expect_code(5);
    let saw: Vec<&str> = output.stdout.lines().collect();
    let expected: Vec<String> = visible.iter().map(|name| format!("visible {name}")).chain(["ready".into()]).collect();
    assert_eq!(saw, expected, "{}", output.stderr);
    output.stderr
}

/// Names of the entries, without folders.
fn entries(jar: &Path) -> Vec<String> {
    let mut names = fixtures::entry_names(jar).expect("a jar");
    names.retain(|name| !name.ends_with('/'));
    names
}

#[test]
fn a_section_with_versioned_copies_inside_it() {
    each_jdk("layout inst", |test, jdk| {
        static BUILT: OnceLock<Example> = OnceLock::new();
        let example = build(&BUILT, test, "inst", "class-count.jar");
        let names = entries(&example.jar);
        for name in [
            "classcount/Start.class",
            "inst/META-INF/services/classcount.Report",
            "inst/META-INF/versions/9/classcount/agent/ProcessId.classdata",
            "inst/classcount/agent/ProcessId.classdata",
        ] {
            assert!(names.iter().any(|found| found == name), "`{name}` in {names:?}");
        }
        assert!(!names.iter().any(|name| name.starts_with("io/btrace") || name.starts_with("META-INF/btrace")));
        let hidden = "classcount.agent.ClassCount";
        let target = shop(test, jdk, example, "=shop.", &["classcount.Boot", hidden]).launch();
        let pid = target.pid();
        let stderr = end(&target, &["classcount.Boot"]);
        let said = format!("class-count: 2 classes of `shop.` in process {pid} (from ProcessHandle)");
        assert!(stderr.lines().any(|line| line == said), "`{said}` in\n{stderr}\nbuilt with\n{}", example.said);
    });
}

const VITALS: [&str; 8] =
    ["classes", "environment", "heap", "loaders", "processors", "properties", "threads", "uptime"];

#[test]
fn ten_sections_behind_a_generated_index() {
    each_jdk("layout indexed", |test, jdk| {
        static BUILT: OnceLock<Example> = OnceLock::new();
        let example = build(&BUILT, test, "indexed", "vitals.jar");
        let names = entries(&example.jar);
        let index = fixtures::read_entry(&example.jar, "sections.index").expect("the index");
        let index = String::from_utf8(index).expect("text");
        for section in VITALS.into_iter().chain(["report", "text"]) {
            assert!(names.iter().any(|name| name.starts_with(&format!("{section}/vitals/"))), "{section}: {names:?}");
            assert!(index.contains(&format!("vitals/{section} {section}\n")), "{section}:\n{index}");
        }
        let hidden = ["vitals.report.Main", "vitals.text.Text", "vitals.heap.Heap"];
        let target = shop(test, jdk, example, "", &hidden).launch();
        let stderr = end(&target, &[]);
        let said: Vec<&str> = stderr.lines().filter_map(|line| line.strip_prefix("vitals: ")).collect();
        assert_eq!(said.len(), VITALS.len(), "{stderr}\nbuilt with\n{}", example.said);
        for (line, vital) in said.iter().zip(VITALS) {
            let (name, value) = line.split_once(' ').expect("a name and a value");
            let value: u64 = value.trim().parse().expect("a number");
            assert!(name == vital && (value > 0 || vital == "uptime"), "{line}");
        }
    });
}

#[test]
fn versioned_copies_at_the_root_of_the_jar() {
    each_jdk("layout esclazz", |test, jdk| {
        static BUILT: OnceLock<Example> = OnceLock::new();
        let example = build(&BUILT, test, "esclazz", "heartbeat.jar");
        let names = entries(&example.jar);
        for folder in ["", "META-INF/versions/9/", "META-INF/versions/21/"] {
            let name = format!("{folder}agent/heartbeat/agent/Platform.esclazz");
            assert!(names.contains(&name), "`{name}` in {names:?}");
        }
        let hidden = "heartbeat.agent.Heartbeat";
        let target = shop(test, jdk, example, "=50", &[hidden, "heartbeat.Start"]).launch();
        let second = target.wait_for_error_line("heartbeat 2 of ");
        let copy = if jdk.feature < 21 { "" } else { " with virtual threads" };
        assert!(second.starts_with(&format!("heartbeat 2 of Java {}", jdk.feature)), "{second}");
        assert!(second.ends_with(&format!("{copy} in process {}", target.pid())), "{second}");
        assert_eq!(second.contains("virtual"), jdk.feature >= 21, "{second}");
        end(&target, &["heartbeat.Start"]);
    });
}
