//! The JDK's own compiler, compiling a library.

use std::path::PathBuf;

use crate::counting::{Prepared, Program, behaves};
use crate::harness::{Jdk, Test, maven_artifact};

const SOURCES: &str = "commons-codec:commons-codec:1.17.1:jar:sources";

const COMPILE: &str = r#"import javax.tools.*;
public class Compile {
    public static void main(String[] arguments) {
        int status = ToolProvider.getSystemJavaCompiler().run(null, System.out, System.out, arguments);
        System.out.println("status " + status);
    }
}
"#;

static PROGRAM: Program = Program {
    name: "javac",
    main: "Compile",
    classes: r"com\.sun\.tools\.javac\..*",
    least: 2_000_000,
    logs: false,
    throws: true,
};

fn prepare(test: &Test, _: &Jdk) -> Prepared {
    let driver = test.compile_with(&[("Compile.java", COMPILE)], &["--release", "8", "-Xlint:-options"]);
    let sources = test.folder().join("sources");
    fixtures::unzip(&maven_artifact(SOURCES), &sources).expect("an archive");
    let mut files: Vec<PathBuf> = walkdir::WalkDir::new(&sources)
        .into_iter()
        .map(|entry| entry.expect("a readable folder").into_path())
        .filter(|path| path.extension().is_some_and(|end| end == "java"))
        .collect();
    files.sort();
    assert!(files.len() > 50, "{}", files.len());
    let output = test.folder().join("classes");
    let mut arguments: Vec<String> =
        ["-nowarn", "-Xlint:none", "-proc:none", "-g", "-encoding", "UTF-8", "-d"].map(str::to_owned).into();
    arguments.push(output.display().to_string());
    arguments.extend(files.iter().map(|file| file.display().to_string()));
    Prepared { class_path: vec![driver], arguments, output: Some(output), ..Prepared::default() }
}

#[test]
fn on_17() {
    behaves(&PROGRAM, 17, prepare);
}

#[test]
fn on_25() {
    behaves(&PROGRAM, 25, prepare);
}
