//! The SDK as a Maven repository.

use std::path::{Path, PathBuf};

use crate::work::{Work, tree};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What an author writes: a service with its implementation, and a probe that uses it.
const SOURCES: [(&str, &str); 3] = [
    (
        "acme/Counter.java",
        "package acme; @io.btrace.core.extensions.ServiceDescriptor public interface Counter { long next(); }",
    ),
    (
        "acme/CounterImpl.java",
        "package acme;
         public class CounterImpl extends io.btrace.core.extensions.Extension implements Counter {
             private final io.btrace.runtime.BTraceRuntime.Impl runtime;
             public CounterImpl(io.btrace.runtime.BTraceRuntime.Impl runtime) { this.runtime = runtime; }
             public void initialize(io.btrace.core.extensions.ExtensionContext context) { super.initialize(context); }
             public long next() { runtime.send(\"asked\"); return 1; }
         }",
    ),
    (
        "acme/Trace.java",
        "package acme;
         import io.btrace.core.annotations.*;
         import static io.btrace.core.BTraceUtils.*;
         @BTrace public class Trace {
             @Injected private static Counter counter;
             @OnMethod(clazz = \"a.B\", method = \"c\", location = @Location(Kind.RETURN))
             public static void c(@Duration long nanos, @Return io.btrace.core.types.AnyType value) {
                 println(concat(str(value), str(counter.next())));
             }
         }",
    ),
];

fn sdk_jar(repository: &Path) -> PathBuf {
    repository.join(format!("io/btrace/fatagent-sdk/{VERSION}/fatagent-sdk-{VERSION}.jar"))
}

#[test]
fn the_sdk_is_all_that_authors_compile_against() {
    let work = Work::new();
    let run = work.fatagent(&["sdk", "install", "repo"]).ok();
    let expected = [
        format!("io.btrace:fatagent-sdk:{VERSION}"),
        format!("io.btrace:fatagent-sdk:{VERSION}:sources"),
        format!("io.btrace:fatagent:{VERSION}:linux-{}@exe", std::env::consts::ARCH),
    ];
    assert_eq!(run.stdout.lines().take(3).collect::<Vec<_>>(), expected);
    let jar = sdk_jar(&work.path("repo"));
    let class_path = ["--release", "8", "-Xlint:-options", "-proc:none", "-cp", jar.to_str().unwrap()];
    fixtures::javac(&SOURCES, &class_path, &work.path("out")).unwrap_or_else(|error| panic!("{error}"));

    // Each class has its source, and nothing of the agent's own is shown.
    let names = fixtures::entry_names(&jar).unwrap();
    let classes: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix(".class")).collect();
    let sources = jar.with_file_name(format!("fatagent-sdk-{VERSION}-sources.jar"));
    let sources = fixtures::entry_names(&sources).unwrap();
    for class in &classes {
        let source = format!("{}.java", class.split('$').next().unwrap());
        assert!(sources.contains(&source), "{source} is not in {sources:?}");
    }
    assert!(classes.contains(&"io/btrace/core/extensions/Extension"), "{classes:?}");
    assert!(!classes.iter().any(|class| class.contains("/boot/") || class.contains("Dispatcher")), "{classes:?}");

    let program = work
        .path(&format!("repo/io/btrace/fatagent/{VERSION}/fatagent-{VERSION}-linux-{}.exe", std::env::consts::ARCH));
    assert!(fs_err::read(program).unwrap() == fs_err::read(env!("CARGO_BIN_EXE_fatagent")).unwrap());
}

#[test]
fn what_is_there_is_left_alone_and_another_build_is_replaced() {
    let work = Work::new();
    // The local repository that Maven's settings name, as nothing else is said.
    work.settings("<settings><localRepository>${user.home}/local</localRepository></settings>");
    let run = work.fatagent(&["sdk", "install"]).ok();
    run.says(&format!("Installed io.btrace:fatagent-sdk:{VERSION}"));
    let first = tree(&work.path("local"));
    let run = work.fatagent(&["sdk", "install"]).ok();
    run.says(&format!("Unchanged io.btrace:fatagent-sdk:{VERSION}"));
    run.is_silent_about("replaced");
    assert!(tree(&work.path("local")) == first);

    let jar = sdk_jar(&work.path("local"));
    fs_err::write(&jar, "another build").unwrap();
    let other = work.path("local/io/btrace/other.txt");
    fs_err::write(&other, "mine").unwrap();
    let run = work.fatagent(&["sdk", "install"]).ok();
    run.says(&format!("warning: io.btrace:fatagent-sdk:{VERSION} of another build was there and is replaced"));
    run.says(&format!("Unchanged io.btrace:fatagent:{VERSION}"));
    fs_err::remove_file(other).unwrap();
    assert!(tree(&work.path("local")) == first);
}

#[test]
fn a_build_without_the_gradle_plugins_says_so() {
    let work = Work::new();
    let run = work.fatagent(&["sdk", "install", "repo"]).ok();
    // The build that runs the tests may have been given the plugins.
    let marker = work.path(&format!(
        "repo/io/btrace/fat-agent/io.btrace.fat-agent.gradle.plugin/{VERSION}/io.btrace.fat-agent.gradle.plugin-{VERSION}.pom"
    ));
    if marker.exists() {
        assert!(fs_err::read_to_string(marker).unwrap().contains("<artifactId>fatagent-gradle-plugin</artifactId>"));
        run.is_silent_about("without the Gradle plugins");
        return;
    }
    run.says("warning: this fatagent was built without the Gradle plugins; hint: ");
    let plugin = format!("repo/io/btrace/fatagent-gradle-plugin/{VERSION}");
    fs_err::create_dir_all(work.path(&plugin)).unwrap();
    work.fatagent(&["sdk", "install", "repo"]).ok().says(&format!("; those of another build stay: `{plugin}`"));
}

#[test]
fn shells_and_man_know_the_commands() {
    let work = Work::new();
    for shell in ["bash", "zsh", "fish"] {
        let text = work.fatagent(&["completions", shell]).ok().stdout;
        assert!(text.contains("sdk") && text.contains("inspect"), "{text}");
    }
    work.fatagent(&["man", "pages"]).ok();
    let names: Vec<String> = tree(&work.path("pages")).into_iter().map(|(name, _)| name).collect();
    for name in ["fatagent.1", "fatagent-build.1", "fatagent-sdk-install.1", "fatagent-extension-build.1"] {
        assert!(names.contains(&name.to_owned()), "{name} is not in {names:?}");
    }
    assert!(work.read("pages/fatagent-build.1").contains("SOURCE_DATE_EPOCH"));
}
