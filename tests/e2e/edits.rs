//! `fatagent add` and `fatagent remove`.

use std::path::Path;

use crate::harness::{Output, Test, e2e_test, fatagent};

const TOML: &str = "# the agent\n[agent]\nname = \"a\"\nversion = \"1\"\n\n# what is traced\n[probes]\ninclude = [\n    \"probes/*.class\", # all\n]\n";

/// Runs `fatagent` in a folder.
fn run(test: &Test, folder: &Path, arguments: &[&str]) -> Output {
    test.run(fatagent().current_dir(folder).args(arguments))
}

fn read(folder: &Path, name: &str) -> String {
    fs_err::read_to_string(folder.join(name)).expect("a file")
}

/// Runs a command that must fail with these lines and leave the file as it is.
#[track_caller]
fn refused(test: &Test, folder: &Path, arguments: &[&str], lines: &[&str]) {
    let before = read(folder, "agent.toml");
    let output = run(test, folder, arguments);
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{}", output.stderr);
    for line in lines {
        assert!(output.stderr.contains(line), "no {line:?} in\n{}", output.stderr);
    }
    assert_eq!(read(folder, "agent.toml"), before);
    let names: Vec<String> = fs_err::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(names.iter().all(|name| !name.starts_with('.')), "left behind: {names:?}");
}

#[test]
fn a_description_grows_and_shrinks() {
    e2e_test("edits", |test| {
        let root = test.folder().join("a b é");
        fs_err::create_dir_all(root.join("vendor")).expect("a folder");
        fs_err::create_dir_all(root.join("ext/one")).expect("a folder");
        fs_err::write(root.join("vendor/x.zip"), "").expect("a file");
        fs_err::write(root.join("agent.toml"), TOML).expect("a file");
        let added =
            run(test, &root, &["add", "extension", "--file", "./vendor/x.zip", "--maven", "g:a:1"]).expect_code(0);
        assert_eq!(added.stdout, "agent.toml\n");
        assert!(added.stderr.contains("Added extension with file `vendor/x.zip` in agent.toml"), "{}", added.stderr);
        // From a folder below, where paths are those of that folder.
        run(test, &root.join("ext"), &["add", "extension", "--path", "one", "--to", ".."]).expect_code(0);
        run(test, &root.join("ext"), &["add", "--to", "../agent.toml", "probe", "one/**/*.class"]).expect_code(0);
        run(test, &root, &["add", "relocation", "org.dep=x.dep", "=a.B=c.D"]).expect_code(0);
        let text = TOML.replace("# all\n]", "# all\n    \"ext/one/**/*.class\",\n]");
        let rest = "\n[[extension]]\nfile = \"vendor/x.zip\"\n\n[[extension]]\nmaven = \"g:a:1\"\n\n[[extension]]\npath = \"ext/one\"\n\n[relocate]\n\"org.dep\" = \"x.dep\"\n\"=a.B\" = \"c.D\"\n";
        assert_eq!(read(&root, "agent.toml"), format!("{text}{rest}"));

        let again = run(test, &root, &["add", "extension", "--file", "vendor/x.zip", "--message-format", "json"])
            .expect_code(0);
        let message: serde_json::Value = serde_json::from_str(again.stdout.trim()).expect("JSON");
        assert_eq!((&message["reason"], &message["changed"]), (&"edited".into(), &false.into()), "{message}");
        assert!(
            again.stderr.contains("Unchanged agent.toml has extension with file `vendor/x.zip` already"),
            "{}",
            again.stderr
        );

        for arguments in [
            &["remove", "extension", "--file", "vendor/x.zip", "--maven", "g:a:1", "--path", "ext/one/"][..],
            &["remove", "probe", "ext/one/**/*.class"],
            &["remove", "relocation", "org.dep", "=a.B=c.D"],
        ] {
            run(test, &root, arguments).expect_code(0);
        }
        assert_eq!(read(&root, "agent.toml"), format!("{TOML}\n[relocate]\n"));
    });
}

#[test]
fn a_bad_edit_leaves_the_file() {
    e2e_test("bad edits", |test| {
        let root = test.folder().join("project");
        fs_err::create_dir_all(&root).expect("a folder");
        fs_err::write(root.join("agent.toml"), TOML).expect("a file");
        refused(
            test,
            &root,
            &["add", "extension", "--file", "none.zip"],
            &["error: file does not exist: `none.zip`", "hint: "],
        );
        refused(
            test,
            &root,
            &["add", "extension", "--path", "none"],
            &["error: file does not exist: `none`", "hint: "],
        );
        refused(
            test,
            &root,
            &["remove", "probe", "probes/*.clas"],
            &[
                "error: `[probes] include` of agent.toml has no probe `probes/*.clas`",
                "hint: did you mean `probes/*.class`?",
            ],
        );
        refused(
            test,
            &root,
            &["remove", "relocation", "a"],
            &["has no relocation of `a`", "hint: `[relocate]` is empty"],
        );
        run(test, &root, &["add", "relocation", "a=b"]).expect_code(0);
        refused(
            test,
            &root,
            &["add", "relocation", "a=c"],
            &["moves `a` to something else: `b`", "hint: remove that rule first"],
        );
        // The reader refuses what would come out of it.
        fs_err::write(root.join("agent.toml"), "[agent]\nname = \"a\"\nversion = \"1\"\nlayout = \"plain\"\n")
            .expect("a file");
        refused(
            test,
            &root,
            &["add", "extension", "--maven", "g:a:1"],
            &["error: agent.toml:6:3: `extension` with `layout = \"plain\"`"],
        );
        fs_err::write(root.join("agent.toml"), "[agent\n").expect("a file");
        refused(test, &root, &["add", "relocation", "a=b"], &["error: agent.toml:1:7: "]);
        for (arguments, part) in [
            (&["add", "extension"][..], "--file <ZIP>"),
            (&["add", "relocation", "a"], "not of the form `P=Q`"),
            (&["add", "extension", "--maven", "g:a"], "not of the form `group:artifact:version"),
        ] {
            let output = run(test, &root, arguments);
            assert!(output.code == Some(2) && output.stderr.contains(part), "{}", output.stderr);
        }
    });
}

/// In a Cargo package, with and without tables of ours.
#[test]
fn a_cargo_manifest_is_edited_alike() {
    e2e_test("cargo edits", |test| {
        let root = test.folder().join("crate");
        fs_err::create_dir_all(root.join("src")).expect("a folder");
        fs_err::write(root.join("src/lib.rs"), "").expect("a file");
        let cargo = "[package]\nname = \"p\"\nversion = \"1.0.0\" # first\nedition = \"2021\"\n\n[workspace]\n\n[dependencies]\n# none\n";
        fs_err::write(root.join("Cargo.toml"), cargo).expect("a file");
        let mut own = std::process::Command::new(env!("CARGO_BIN_EXE_cargo-fatagent"));
        own.current_dir(root.join("src")).args(["fatagent", "add", "probe", "../probes/*.class"]);
        let added = test.run(&mut own).expect_code(0);
        assert!(added.stderr.contains("Added probe `probes/*.class` in "), "{}", added.stderr);
        run(test, &root, &["add", "relocation", "a=b"]).expect_code(0);
        let tables = "\n[package.metadata.fatagent.probes]\ninclude = [\"probes/*.class\"]\n\n[package.metadata.fatagent.relocate]\na = \"b\"\n";
        assert_eq!(read(&root, "Cargo.toml"), format!("{cargo}{tables}"));
        let extension = format!("{cargo}[package.metadata.fatagent.extension]\nid = \"x\"\n");
        fs_err::write(root.join("Cargo.toml"), &extension).expect("a file");
        let output = run(test, &root, &["add", "relocation", "a=b"]);
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains("the package describes an extension, not an agent"), "{}", output.stderr);
        assert_eq!(read(&root, "Cargo.toml"), extension);
    });
}
