//! What is said to those who named the wrong file, or named the right one too early.

use crate::work::Work;

const AGENT: &str = "[agent]\nname = \"acme\"\nversion = \"1.0.0\"\n";

/// A Cargo package that is no more than its tables.
fn package(work: &Work, folder: &str, tables: &str) {
    let name = folder.rsplit('/').next().unwrap();
    work.write(
        &format!("{folder}/Cargo.toml"),
        format!("[package]\nname = \"{name}\"\nversion = \"0.3.0\"\nedition = \"2021\"\n{tables}"),
    );
    work.write(&format!("{folder}/src/lib.rs"), "");
}

#[test]
fn agents_and_extensions_of_one_workspace_are_told_apart() {
    let work = Work::new("", &[]);
    fs_err::remove_file(work.path("extension.toml")).unwrap();
    work.write("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"2\"\n");
    package(&work, "crates/agent", "[package.metadata.fatagent.agent]\nname = \"acme\"\n");
    package(&work, "crates/ext", "[package.metadata.fatagent.extension]\nid = \"acme-ext\"\n");
    package(&work, "crates/none", "");
    work.fatagent(&["build", "-o", "acme.jar"]).ok();
    let error = work.fatagent(&["extension", "build", "--compile"]).error();
    let origin = "crates/ext/Cargo.toml";
    assert!(error.starts_with(&format!("error: {origin}: no source to compile in: `")), "{error}");
    for arguments in [&["build", "--file", "crates/ext"][..], &["build", "--file", "crates/ext/Cargo.toml"]] {
        assert_eq!(
            work.fatagent(arguments).error(),
            format!(
                "error: {origin}: the package describes an extension, not an agent\n\
                 hint: `fatagent extension build crates/ext` builds it; an agent embeds it with `[[extension]] path`"
            )
        );
    }
    // Places are named as the user would name the file.
    package(&work, "crates/agent", "[package.metadata.fatagent.agent]\nname = 5\n");
    let error = work.fatagent(&["build"]);
    assert_eq!(error.code, Some(1));
    assert!(error.stderr.starts_with("error: crates/agent/Cargo.toml:6:8: `agent.name` must be "), "{}", error.stderr);

    package(&work, "crates/more", "[package.metadata.fatagent.extension]\nid = \"acme-more\"\n");
    let error = work.fatagent(&["extension", "build"]).error();
    assert!(
        error.contains("more than one package, `ext`, `more`, with `[package.metadata.fatagent.extension]` in: `"),
        "{error}"
    );
}

#[test]
fn commands_of_hints_can_be_copied() {
    let work = Work::new("", &[]);
    let text = fs_err::read(work.path("extension.toml")).unwrap();
    work.write("my ext/extension.toml", &text);
    work.write("my ext/src/main/java/A.java", "class A {}");
    let error = work.fatagent(&["extension", "build", "my ext"]).error();
    assert!(error.ends_with("hint: run `fatagent extension build 'my ext/extension.toml' --compile`"), "{error}");
    work.write("my ext/pom.xml", "");
    let error = work.fatagent(&["extension", "build", "my ext"]).error();
    assert!(error.ends_with("hint: run `(cd 'my ext' && mvn package)`"), "{error}");
}

#[test]
fn a_description_stands_for_its_project() {
    let work = Work::usual("");
    work.compile_into("classes");
    for arguments in [&["extension", "lint", "extension.toml"][..], &["extension", "lint"]] {
        let run = work.fatagent(arguments).ok();
        assert!(run.stdout.contains("extension acme-metrics: errors: 0, warnings: 2"), "{}", run.stdout);
    }
    work.library("app.jar", &[("org/app/A.java", "package org.app; public class A {}")], |jar| jar);
    let run = work.fatagent(&["extension", "check", "extension.toml", "--against", "app.jar"]);
    assert!(run.error().contains("names nothing that an application's library could have"), "{}", run.stderr);
    fs_err::create_dir(work.path("empty")).unwrap();
    let error = work.fatagent(&["extension", "lint", "empty"]).error();
    assert!(error.contains("\nhint: an extension is a project with `extension.toml`, a zip "), "{error}");
}

#[test]
fn a_zip_that_is_not_built_yet_comes_with_the_command_that_builds_it() {
    let work = Work::usual("");
    let agent = |file: &str| work.write("agent.toml", format!("{AGENT}[[extension]]\nfile = \"{file}\"\n"));
    let zip = "target/extension/acme-metrics-1.2.0-extension.zip";
    agent(zip);
    let refused = |hint: &str| {
        assert_eq!(
            work.fatagent(&["build"]).error(),
            format!("error: the extension is not built, `{zip}` does not exist\nhint: run `{hint}`")
        );
    };
    refused("fatagent extension build extension.toml --compile");
    work.write("pom.xml", "");
    refused("mvn package && fatagent extension build extension.toml");
    work.compile_into("target/classes");
    refused("fatagent extension build extension.toml");
    agent(&zip.replace("1.2.0", "1.1.0"));
    assert!(work.fatagent(&["build"]).error().ends_with(
        "hint: `extension.toml` describes `acme-metrics-1.2.0-extension.zip`: name that one, and run \
             `fatagent extension build extension.toml`"
    ));
    agent("elsewhere/x.zip");
    assert_eq!(
        work.fatagent(&["build"]).error(),
        "error: file does not exist: `elsewhere/x.zip`\n\
         hint: check the path; it is relative to the current folder, or to the file that names it"
    );
}

#[test]
fn a_base_is_a_table() {
    let work = Work::new("", &[]);
    for (base, found) in [("\"base.jar\"", "base.jar"), ("5", "base.jar"), ("\"\"", "")] {
        work.write("agent.toml", format!("{AGENT}base = {base}\n"));
        let error = work.fatagent(&["build"]).error();
        assert!(error.starts_with("error: agent.toml:4:8: `agent.base` must be "), "{error}");
        if !found.is_empty() {
            let hint = "hint: write `base = { file = \"base.jar\" }` for a jar, or leave it out for the built-in base";
            assert!(error.ends_with(hint), "{error}");
        }
    }
}
