//! The flight recorder's agent events: what an operator sees of us without asking us.

use crate::harness::{Jdk, Target, Test, each_jdk};
use crate::product::{agent, app, expect_undisturbed, jcmd_load, library, rounds};
use std::path::Path;
use std::process::Command;

/// The printed events of one type in a recording.
fn events(test: &Test, jdk: &Jdk, kind: &str, recording: &Path) -> String {
    let printer = r#"import jdk.jfr.consumer.*;
public class Printer {
    public static void main(String[] a) throws Exception {
        for (RecordedEvent e : RecordingFile.readAllEvents(java.nio.file.Paths.get(a[1])))
            if (e.getEventType().getName().equals(a[0])) {
                System.out.print(e.getString("name") + "|" + e.getString("options"));
                if (e.hasField("dynamic")) System.out.print("|" + e.getBoolean("dynamic"));
                System.out.println("|" + e.getDuration("initializationDuration").toNanos());
            }
    }
}"#;
    let classes = test.compile(&[("Printer.java", printer)]);
    Target::builder(jdk)
        .class_path(classes)
        .main("Printer")
        .arg(kind)
        .arg(recording)
        .launch()
        .wait_exit()
        .expect_code(0)
        .stdout
}

fn jcmd(test: &Test, jdk: &Jdk, target: &Target, words: &[String]) -> String {
    let mut command = Command::new(jdk.jcmd());
    command.arg(target.pid().to_string()).args(words);
    test.run(&mut command).expect_code(0).stdout
}

/// Records in a running JVM, which emits its agents when the recording ends.
fn record(test: &Test, jdk: &Jdk, target: &Target) -> std::path::PathBuf {
    let file = test.folder().join("recording.jfr");
    jcmd(test, jdk, target, &["JFR.start".to_owned(), "name=r".to_owned()]);
    jcmd(test, jdk, target, &["JFR.stop".to_owned(), "name=r".to_owned(), format!("filename={}", file.display())]);
    file
}

/// The recorder knows agents from Java 21 on.
fn knows_agents(jdk: &Jdk) -> bool {
    jdk.feature >= 21
}

#[test]
fn a_launched_agent_shows_as_java_agent() {
    each_jdk("JFR, launched", |test, jdk| {
        if !knows_agents(jdk) {
            return;
        }
        let jar = agent().jar;
        let target = app(test, jdk).jvm_option(format!("-javaagent:{}=debug=false", jar.display())).launch();
        rounds(&target, &["x"]);
        let recording = record(test, jdk, &target);
        let found = events(test, jdk, "jdk.JavaAgent", &recording);
        let fields: Vec<&str> = found.trim_end().split('|').collect();
        assert_eq!(fields.len(), 4, "{found}");
        assert_eq!(fields[..3], [jar.to_str().expect("UTF-8"), "debug=false", "false"]);
        expect_undisturbed(&target, &["x"]);
    });
}

#[test]
fn an_attached_agent_shows_with_its_initialization_time() {
    each_jdk("JFR, attached", |test, jdk| {
        if !knows_agents(jdk) {
            return;
        }
        let jar = agent().jar;
        let target = app(test, jdk).launch();
        rounds(&target, &["x"]);
        jcmd_load(test, jdk, &target, &jar, "debug=false");
        let recording = record(test, jdk, &target);
        let found = events(test, jdk, "jdk.JavaAgent", &recording);
        let fields: Vec<&str> = found.trim_end().split('|').collect();
        assert_eq!(fields.len(), 4, "{found}");
        assert_eq!(fields[..3], [jar.to_str().expect("UTF-8"), "debug=false", "true"]);
        let nanos: u64 = fields[3].parse().expect("a duration");
        assert!(nanos > 0, "an attached agent has a real initialization time: {found}");
        expect_undisturbed(&target, &["x"]);
    });
}

#[test]
fn agentpath_shows_as_native_agent() {
    each_jdk("JFR, agentpath", |test, jdk| {
        if !knows_agents(jdk) {
            return;
        }
        let options = format!("jar={}", agent().jar.display());
        let target = app(test, jdk).jvm_option(format!("-agentpath:{}={options}", library().display())).launch();
        rounds(&target, &["x"]);
        let recording = record(test, jdk, &target);
        let found = events(test, jdk, "jdk.NativeAgent", &recording);
        let ours: Vec<&str> = found.lines().filter(|l| l.contains("agent_core")).collect();
        assert_eq!(ours.len(), 1, "{found}");
        assert!(ours[0].contains(&format!("|{options}|false|")), "{found}");
        expect_undisturbed(&target, &["x"]);
    });
}
