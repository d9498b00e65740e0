//! A build that embeds an extension of each origin: a project, Maven coordinates, and a file.

use std::path::{Path, PathBuf};

use fixtures::ExtensionZip;

use super::build;
use crate::harness::{Jdk, Target, Test, fatagent};

/// What the application under the agent does.
const APPLICATION: (&str, &str) = (
    "app/Main.java",
    "package app; public class Main { public static void main(String[] a) { work(\"x\"); System.out.println(\"done\"); } static void work(String s) { } }",
);

/// The probe, which asks one service of each extension.
pub(crate) const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Work {
    @Injected static hello.Hello hello;
    @Injected static m.Maven maven;
    @Injected static f.FromFile file;
    @OnMethod(clazz = "app.Main", method = "work") public static void work(String s) {
        println(hello.hello(s) + maven.text() + file.text());
    }
}
"#;

pub(crate) const HELLO: [(&str, &str); 2] = [
    ("hello/src/main/java/hello/Hello.java", "package hello;\npublic interface Hello { String hello(String to); }\n"),
    (
        "hello/src/main/java/hello/impl/HelloImpl.java",
        "package hello.impl;\nimport io.btrace.core.extensions.Extension;\npublic class HelloImpl extends Extension implements hello.Hello {\n  \
         public String hello(String to) { return \"hello \" + to; }\n}\n",
    ),
];

pub(crate) const HELLO_BUILD: &str = "plugins { id 'io.btrace.extension' }\nversion = '1.0.0'\ngroup = 'com.acme'\n\
    tasks.withType(JavaCompile).configureEach { options.release = 8; options.compilerArgs << '-Xlint:-options' }\n\
    btraceExtension {\n  id = 'hello'\n  name = 'Hello'\n  description = 'Says hello'\n  services = ['hello.Hello']\n}\n";

pub(crate) const HELLO_SERVICE: (&str, &str) =
    ("hello/src/main/resources/META-INF/services/hello.Hello", "hello.impl.HelloImpl\n");

pub(crate) const FAT_AGENT: &str = r"plugins { id 'io.btrace.fat-agent' }
version = '2.5.0'
repositories { maven { url = uri('repo') } }
btraceFatAgent {
  baseName = 'sample-agent'
  embedExtensions {
    project(':hello')
    maven('com.acme:from-maven:1.0.0')
    file('vendor/from-file-1.0.0-extension.zip')
  }
  probes { source 'src/probes/java' }
  args = [probes: 'Work']
}
";

/// Writes the sample into a folder, whatever it is called.
pub(crate) fn write(test: &Test, folder: &Path) {
    let mut files = vec![("build.gradle", FAT_AGENT), ("hello/build.gradle", HELLO_BUILD), HELLO_SERVICE];
    files.extend(HELLO);
    files.push(("src/probes/java/trace/Work.java", PROBE));
    build::write(folder, "rootProject.name = 'sample'\ninclude 'hello'", &files);
    let vendor = folder.join("vendor");
    fs_err::create_dir_all(&vendor).expect("a folder");
    zip(&vendor, "from-file", "f.FromFile", " from a file");
    let made = test.folder().join("made");
    fs_err::create_dir_all(&made).expect("a folder");
    let zip = zip(&made, "from-maven", "m.Maven", " from maven");
    let mut publish = fatagent();
    publish.args(["extension", "publish"]).arg(zip).arg("--to").arg(folder.join("repo")).args(["--group", "com.acme"]);
    test.run(&mut publish).expect_code(0);
}

/// An extension whose one service gives a text.
pub(crate) fn zip(folder: &Path, id: &str, service: &str, text: &str) -> PathBuf {
    let (package, name) = service.rsplit_once('.').expect("a package");
    let api = format!("package {package}; public interface {name} {{ String text(); }}");
    let implementation = format!(
        "package {package}.impl; public class Impl extends io.btrace.core.extensions.Extension implements {service} \
         {{ public String text() {{ return \"{text}\"; }} }}"
    );
    ExtensionZip::new(id, "1.0.0")
        .class_path(crate::product::api_classes())
        .api(&format!("{package}/{name}.java"), &api)
        .implementation(&format!("{package}/impl/Impl.java"), &implementation)
        .resource(&format!("META-INF/services/{service}"), format!("{package}.impl.Impl").as_bytes())
        .attribute("BTrace-Extension-Services", service)
        .attribute("BTrace-Extension-Permissions", "")
        .build(folder)
        .expect("an extension")
}

/// Runs the application under the agent and returns what the probe wrote.
pub(crate) fn run(test: &Test, jdk: &Jdk, jar: &Path) -> String {
    let classes = test.folder().join("application");
    if !classes.exists() {
        fixtures::javac(&[APPLICATION], &["--release", "8", "-Xlint:-options"], &classes).expect("an application");
    }
    let written = test.folder().join(format!("written-{}.txt", jdk.feature));
    let agent = format!("-javaagent:{}=scriptOutputFile={}", jar.display(), written.display());
    let target = Target::builder(jdk).class_path(&classes).jvm_option(agent).main("app.Main").launch();
    let output = target.wait_exit().expect_code(0);
    assert_eq!(output.stdout, "done\n", "{}", output.stderr);
    fs_err::read_to_string(written).unwrap_or_default()
}
