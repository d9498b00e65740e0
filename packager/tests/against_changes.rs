//! `fatagent extension check`: what javac does not see and the JVM refuses, and members that the JDK's types bring.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use fixtures::{ExtensionZip, Jar};
use tempfile::TempDir;

/// How long one program may run.
const LIMIT: Duration = Duration::from_mins(2);
const JAVA_8: [&str; 2] = ["--release", "8"];

/// An extension that is compiled against one release and checked against another.
struct Work {
    folder: TempDir,
}

impl Work {
    fn new(first: &[(&str, &str)], second: &[(&str, &str)], implementation: &str) -> Self {
        let work = Self { folder: tempfile::tempdir().unwrap() };
        for (name, sources) in [("first", first), ("second", second)] {
            fixtures::javac(sources, &JAVA_8, &work.path(name)).unwrap();
            Jar::new().tree(&work.path(name)).unwrap().write(&work.path(&format!("{name}.jar"))).unwrap();
        }
        ExtensionZip::new("jobs", "1.0.0")
            .class_path(&work.path("first"))
            .api("acme/Jobs.java", "package acme; public interface Jobs { void on(Object job); }")
            .implementation("acme/JobsImpl.java", implementation)
            .resource("META-INF/services/acme.Jobs", b"acme.JobsImpl\n")
            .attribute("BTrace-Extension-Services", "acme.Jobs")
            .attribute("BTrace-Extension-Permissions", "")
            .build(&work.path(""))
            .unwrap();
        work
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Exit code, stdout and stderr of a check against that release.
    fn check(&self, release: &str) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
        command.current_dir(self.folder.path()).env("HOME", self.folder.path());
        command.args(["extension", "check", "jobs-1.0.0-extension.zip", "--against", release]);
        let output = fixtures::run(&mut command, LIMIT).unwrap();
        (output.status.code(), output.stdout, output.stderr)
    }
}

#[test]
fn access_and_kind_of_classes_count() {
    let first = [
        ("org/app/Kind.java", "package org.app; public class Kind { public void go() {} public static void of() {} }"),
        ("org/app/Hidden.java", "package org.app; public class Hidden { public static void of() {} }"),
        ("org/app/Last.java", "package org.app; public class Last { protected void mine() {} }"),
        ("org/app/Role.java", "package org.app; public interface Role { }"),
        ("org/app/Made.java", "package org.app; public class Made { }"),
        ("org/app/Base.java", "package org.app; public class Base { protected void mine() {} public void open() {} }"),
    ];
    let second = [
        ("org/app/Kind.java", "package org.app; public interface Kind { void go(); static void of() {} }"),
        ("org/app/Hidden.java", "package org.app; class Hidden { public static void of() {} }"),
        ("org/app/Last.java", "package org.app; public final class Last { protected void mine() {} }"),
        ("org/app/Role.java", "package org.app; public class Role { }"),
        ("org/app/Made.java", "package org.app; public abstract class Made { }"),
        (
            "org/app/Base.java",
            "package org.app; public class Base { protected void mine() {} protected void open() {} }",
        ),
    ];
    let implementation = "package acme; import org.app.*;
        public class JobsImpl implements Jobs {
          public void on(Object job) { ((Kind) job).go(); Kind.of(); }
          void hidden() { Hidden.of(); Object o = Hidden.class; }
          Object made() { return new Made(); }
          void opened(Base base) { base.open(); }
          static class Mine extends Last { void use() { mine(); } }
          static class Plays implements Role { }
          static class Below extends Base { }
          static class Deeper extends Below { void use() { mine(); open(); } }
        }";
    let work = Work::new(&first, &second, implementation);
    let (code, stdout, stderr) = work.check("first.jar");
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let (code, stdout, _) = work.check("second.jar");
    assert_eq!(code, Some(1), "{stdout}");
    for line in [
        "reference method `org.app.Kind.go()V` at acme.JobsImpl.on: `org.app.Kind` is an interface there",
        "reference method `org.app.Kind.of()V` at acme.JobsImpl.on: `org.app.Kind` is an interface there",
        "reference method `org.app.Hidden.of()V` at acme.JobsImpl.hidden: `org.app.Hidden` is not public",
        "reference class `org.app.Hidden` at acme.JobsImpl.hidden: `org.app.Hidden` is not public",
        "reference class `org.app.Made` at acme.JobsImpl.made: `org.app.Made` is abstract there",
        "reference method `org.app.Base.open()V` at acme.JobsImpl.opened: `org.app.Base.open` is protected, and this is no subclass",
        "reference superclass `org.app.Last` at acme.JobsImpl$Mine: `org.app.Last` is final there",
        "reference interface `org.app.Role` at acme.JobsImpl$Plays: `org.app.Role` is no interface there",
    ] {
        assert!(stdout.contains(line), "{line}\n{stdout}");
    }
    assert!(stdout.contains("missing: 8,"), "what a subclass may use passes, and nothing is told twice: {stdout}");
}

#[test]
fn members_of_jdk_supertypes_are_known() {
    let failure = |member: &str| {
        format!(
            "package org.app; public class Failure extends RuntimeException implements java.io.Closeable {{ public void close() {{}} {member} }}"
        )
    };
    let jobs = |member: &str| {
        format!("package org.app; public class JobList extends java.util.ArrayList<String> {{ {member} }}")
    };
    let (failure_1, failure_2) = (failure("public int status() { return 1; }"), failure(""));
    let (jobs_1, jobs_2) = (jobs("public void gone() {}"), jobs(""));
    let panel = "package org.app; public class Panel extends java.util.Observable { }";
    let first =
        [("org/app/Failure.java", &*failure_1), ("org/app/JobList.java", &*jobs_1), ("org/app/Panel.java", panel)];
    let second =
        [("org/app/Failure.java", &*failure_2), ("org/app/JobList.java", &*jobs_2), ("org/app/Panel.java", panel)];
    let inherited = "package acme; import org.app.*;
        public class JobsImpl implements Jobs {
          public void on(Object job) { ((Failure) job).getMessage(); ((Failure) job).printStackTrace(); }
          int list(JobList jobs) { jobs.clear(); return jobs.size(); }
          void failed(Failure failure) { failure.status(); }
          void listed(JobList jobs) { jobs.gone(); }
        }";
    let work = Work::new(&first, &second, inherited);
    let (code, stdout, stderr) = work.check("first.jar");
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("missing: 0, not checked: 0") && !stderr.contains("warning: "), "{stdout}{stderr}");
    let (code, stdout, _) = work.check("second.jar");
    assert_eq!(code, Some(1), "{stdout}");
    for line in [
        "reference method `org.app.Failure.status()I` at acme.JobsImpl.failed: there is no method of that name",
        "reference method `org.app.JobList.gone()V` at acme.JobsImpl.listed: there is no method of that name",
    ] {
        assert!(stdout.contains(line), "{line}\n{stdout}");
    }
    assert!(stdout.contains("missing: 2, not checked: 0"), "{stdout}");

    let outside = "package acme; import org.app.*;
        public class JobsImpl implements Jobs { public void on(Object job) { ((Panel) job).notifyObservers(); } }";
    let (code, stdout, stderr) = Work::new(&first, &second, outside).check("second.jar");
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("missing: 0, not checked: 1"), "{stdout}");
    let told = "what second.jar may inherit from classes outside of it cannot be checked: 1 (-v lists them";
    assert!(stderr.contains(told), "{stderr}");
}
