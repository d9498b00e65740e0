//! The sample project with what it takes from elsewhere, and a probe that asks all three of its extensions.

use std::path::{Path, PathBuf};
use std::process::Command;

use fixtures::ExtensionZip;

use crate::harness::{Jdk, Test, copy_tree, fatagent, step};
use crate::product::{app, compile, expect_file, expect_undisturbed, root, rounds};

const TAGS: &str = "package acme.tags; public interface Tags { String tag(String name); }";
const TAGS_IMPL: &str = "package acme.tags; public class TagsImpl implements Tags { public String tag(String name) { return \"#\" + name; } }";
const CLOCK: &str = "package acme.clock; public interface Clock { boolean runs(); }";
const CLOCK_IMPL: &str = "package acme.clock; public class ClockImpl implements Clock {
    public boolean runs() { return System.nanoTime() != 0; } }";

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Audited {
    @Injected private static acme.audit.Audit audit;
    @Injected private static acme.tags.Tags tags;
    @Injected private static acme.clock.Clock clock;
    @OnMethod(clazz = "app.Orders", method = "place")
    public static void placed(@ProbeMethodName String method) {
        println(tags.tag(method) + " " + audit.count(method) + " " + clock.runs());
    }
}
"#;

/// A copy of the sample, complete.
pub(crate) struct Sample {
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// A Maven repository that has the extension `acme-tags`.
    pub(crate) repository: PathBuf,
}

impl Sample {
    /// Copies the sample below `folder`, to a path with a blank and a letter outside ASCII.
    pub(crate) fn new(test: &Test, folder: &Path) -> Self {
        let sample = Self { folder: folder.join("a b é"), repository: folder.join("repository") };
        copy(&root().join("templates/drivers"), &sample.folder);
        let vendor = sample.folder.join("agent/vendor");
        fs_err::create_dir_all(&vendor).expect("a folder");
        extension("acme-clock", ("acme/clock/Clock.java", CLOCK), ("acme/clock/ClockImpl.java", CLOCK_IMPL), &vendor);
        let tags = folder.join("tags");
        fs_err::create_dir_all(&tags).expect("a folder");
        let zip = extension("acme-tags", ("acme/tags/Tags.java", TAGS), ("acme/tags/TagsImpl.java", TAGS_IMPL), &tags);
        let mut publish = fatagent();
        publish.args(["extension", "publish", "--group", "com.acme", "--to"]).arg(&sample.repository).arg(zip);
        test.run(&mut publish).expect_code(0);
        sample
    }
}

fn extension(id: &str, api: (&str, &str), implementation: (&str, &str), folder: &Path) -> PathBuf {
    let service = api.0.trim_end_matches(".java").replace('/', ".");
    ExtensionZip::new(id, "1.0.0")
        .api(api.0, api.1)
        .implementation(implementation.0, implementation.1)
        .attribute("BTrace-Extension-Services", &service)
        .attribute("BTrace-Extension-Permissions", "")
        .build(folder)
        .expect("a zip")
}

/// Copies a folder, without what somebody built there.
pub(crate) fn copy(from: &Path, to: &Path) {
    let is_built = |entry: &walkdir::DirEntry| {
        ["target", "build", "vendor", ".gradle"].iter().any(|name| entry.file_name() == *name)
    };
    copy_tree(from, to, is_built);
}

/// Runs the shared application with the agent and a probe that asks its extensions.
pub(crate) fn runs(test: &Test, jdk: &Jdk, jar: &Path, sample: &Sample) {
    step(format!("running {}", jar.display()));
    let probe = test.folder().join("probe");
    let apis = [("acme/tags/Tags.java", TAGS), ("acme/clock/Clock.java", CLOCK), ("trace/Audited.java", PROBE)];
    compile(&apis, &[&sample.folder.join("extension/target/classes")], &probe);
    let file = test.folder().join(format!("out-{}.txt", jdk.feature));
    let option = format!(
        "-javaagent:{}=script={},scriptOutputFile={}",
        jar.display(),
        probe.join("trace/Audited.class").display(),
        file.display()
    );
    let target = app(test, jdk).jvm_option(option).launch();
    rounds(&target, &["x", "y"]);
    expect_file(test, &file, &["#place 1 true".to_owned(), "#place 2 true".to_owned()]);
    expect_undisturbed(&target, &["x", "y"]);
}

/// A command of the tools here, with the JDK that compiles.
pub(crate) fn tool(command: &mut Command) -> &mut Command {
    command.env("JAVA_HOME", fixtures::compiler_home().expect("a JDK").path)
}
