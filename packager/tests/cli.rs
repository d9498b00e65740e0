//! The command line as a user meets it: streams, exit codes, and every bad input.

mod support;

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use support::Project;

fn fatagent(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
    command.current_dir(folder).args(arguments).env_remove("SOURCE_DATE_EPOCH").env_remove("NO_COLOR");
    command
}

/// Exit code, stdout and stderr.
fn run(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Builds the project with `arguments`, which must fail and leave the old output as it was; returns stderr.
fn refused(project: &Project, arguments: &[&str]) -> String {
    let jar = project.path("acme-agent.jar");
    fs_err::write(&jar, "old").unwrap();
    let before = listing(&project.path(""));
    let (code, stdout, stderr) = run(&mut fatagent(&project.path(""), &[&["build"], arguments].concat()));
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert_eq!(fs_err::read(&jar).unwrap(), b"old", "the old output was touched");
    assert_eq!(listing(&project.path("")), before, "files were left behind");
    assert_eq!(stderr.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{stderr}");
    assert_eq!(stderr.lines().filter(|line| line.starts_with("hint: ")).count(), 1, "{stderr}");
    stderr
}

fn listing(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.unwrap().path().display().to_string()).collect();
    names.sort();
    names
}

#[test]
fn a_build_prints_the_path_and_a_last_line_about_it() {
    let project = Project::new();
    let (code, stdout, stderr) = run(&mut fatagent(&project.path(""), &["build"]));
    assert_eq!((code, stdout.as_str()), (0, "acme-agent.jar\n"), "{stderr}");
    let bytes = fs_err::read(project.path("acme-agent.jar")).unwrap();
    let last = stderr.lines().last().unwrap().trim_start();
    let sha256 = packager::Sha256Hex::of(&bytes);
    assert_eq!(last, format!("Built acme-agent.jar, {} bytes, 33 entries, sha256 {sha256}", bytes.len()));

    let (code, stdout, stderr) = run(&mut fatagent(&project.path(""), &["-q", "build", "-o", "probes/x.jar"]));
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "probes/x.jar\n", ""));
    let (code, stdout, _) = run(&mut fatagent(&project.path(""), &["verify", "probes/x.jar"]));
    assert_eq!((code, stdout.as_str()), (0, "probes/x.jar: 33 entries verified\n"));
}

#[test]
fn json_messages_are_versioned_and_alone_on_stdout() {
    let project = Project::new();
    let json = |arguments: &[&str]| {
        let (code, stdout, _) = run(fatagent(&project.path(""), arguments).args(["--message-format", "json"]));
        let objects: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(objects.iter().all(|object| object["version"] == 1), "{stdout}");
        (code, objects)
    };
    let (code, objects) = json(&["build"]);
    assert_eq!((code, objects.len()), (0, 1));
    assert_eq!(objects[0]["reason"], "artifact");
    assert_eq!(objects[0]["path"], "acme-agent.jar");
    assert_eq!(objects[0]["entries"], 33);
    assert_eq!(objects[0]["build-id"].as_str().unwrap().len(), 32);

    let (code, objects) = json(&["inspect", "acme-agent.jar"]);
    assert_eq!((code, objects[0]["reason"].as_str()), (0, Some("inspect")));
    assert_eq!(objects[0]["extensions"][0]["id"], "acme-metrics");
    assert_eq!(objects[0]["extensions"][0]["permissions"], serde_json::json!(["NETWORK", "THREADS"]));
    assert_eq!(objects[0]["attributes"]["Boot-Class-Path"], "acme-agent.jar");

    let (code, objects) = json(&["verify", "acme-agent.jar"]);
    assert_eq!((code, &objects[0]["ok"]), (0, &Value::Bool(true)));
    let (code, objects) = json(&["verify", "base.jar"]);
    assert_eq!((code, objects.len()), (1, 2));
    assert_eq!((&objects[0]["ok"], &objects[1]["reason"]), (&Value::Bool(false), &Value::from("error")));
    assert!(objects[0]["failures"][0]["samples"].as_array().unwrap().len() <= 3);

    let (code, objects) = json(&["inspect", "absent.jar"]);
    assert_eq!((code, objects.len()), (1, 1));
    assert_eq!(objects[0]["message"], "file does not exist: `absent.jar`");
    assert_eq!(objects[0]["causes"], serde_json::json!([]));
    assert!(objects[0]["hint"].as_str().unwrap().starts_with("check the path"));
}

#[test]
fn missing_files() {
    let project = Project::new();
    assert!(
        refused(&project, &["--file", "absent.toml"]).contains("error: file does not exist: `absent.toml`\nhint: ")
    );
    fs_err::remove_file(project.path("statsd.zip")).unwrap();
    assert!(refused(&project, &[]).contains("error: file does not exist: `statsd.zip`\nhint: "));
    fs_err::remove_file(project.path("base.jar")).unwrap();
    assert!(refused(&project, &[]).contains("error: file does not exist: `base.jar`\nhint: "));
    fs_err::remove_file(project.path("agent.toml")).unwrap();
    assert!(refused(&project, &[]).contains("error: no `agent.toml` and no `[package.metadata.fatagent]` in: `"));
}

#[test]
fn files_that_are_no_jar_or_only_a_part_of_one() {
    let project = Project::new();
    for file in ["base.jar", "statsd.zip"] {
        let whole = fs_err::read(project.path(file)).unwrap();
        fs_err::write(project.path(file), "not a jar").unwrap();
        assert!(refused(&project, &[]).contains(&format!("error: not a jar: `{file}`: ")));
        fs_err::write(project.path(file), &whole[..whole.len() / 2]).unwrap();
        let stderr = refused(&project, &[]);
        assert!(stderr.contains(&format!("error: jar is cut short: `{file}`\n  caused by: ")), "{stderr}");
        assert!(stderr.ends_with("hint: the copy or the download stopped early: get the file again\n"), "{stderr}");
        fs_err::write(project.path(file), whole).unwrap();
    }
}

#[test]
fn an_unmasked_base() {
    let project = Project::new();
    fixtures::Jar::new()
        .attribute("Premain-Class", "a.B")
        .file("a/B.class", b"x")
        .write(&project.path("base.jar"))
        .unwrap();
    let stderr = refused(&project, &[]);
    assert!(
        stderr
            .contains("error: base is not a masked jar: `base.jar`: it has no entry `META-INF/btrace/shared/`\nhint: "),
        "{stderr}"
    );
}

#[test]
fn an_unknown_key_has_line_column_and_nearest_key() {
    let project = Project::new();
    project.write("agent.toml", "[agent]\nname = \"a\"\n  verison = \"1\"\n");
    let stderr = refused(&project, &[]);
    assert!(stderr.contains("error: agent.toml:3:3: unknown key in `[agent]`: `verison`\n"), "{stderr}");
    assert!(stderr.contains("hint: did you mean `version`?\n"), "{stderr}");
}

#[test]
fn a_key_that_is_not_implemented_is_never_ignored() {
    let project = Project::new();
    project.toml("[merge]\n\"a/**\" = \"first\"\n");
    let stderr = refused(&project, &[]);
    assert!(stderr.contains("error: agent.toml:6:"), "{stderr}");
    assert!(stderr.contains(": `merge` is not supported by this version yet\n"), "{stderr}");
}

#[test]
fn an_unknown_id_in_embed() {
    let project = Project::new();
    project.toml("[discover]\nmembers = [\"metrics\"]\n");
    let stderr = refused(&project, &["--embed", "acme-metric"]);
    assert!(stderr.contains("error: no extension to embed has the id: `acme-metric`\n"), "{stderr}");
    assert!(stderr.contains("hint: did you mean `acme-metrics`?\n"), "{stderr}");
}

#[test]
fn a_duplicate_class() {
    let project = Project::new();
    let copy = support::statsd("vendor-copy").build(&project.path("")).unwrap();
    fs_err::rename(copy, project.path("copy.zip")).unwrap();
    project.toml("[[extension]]\nfile = \"statsd.zip\"\n[[extension]]\nfile = \"copy.zip\"\n");
    let stderr = refused(&project, &[]);
    assert!(
        stderr.contains("error: class `vendor.statsd.Statsd` would be both an API class of extension "),
        "{stderr}"
    );
    assert!(stderr.contains("statsd.zip!/") && stderr.contains("copy.zip!/"), "both origins: {stderr}");
}

#[test]
fn a_name_outside_the_plain_ones() {
    let project = Project::new();
    let text = fs_err::read_to_string(project.path("agent.toml")).unwrap();
    project.write("agent.toml", text.replace("acme-agent", "acme agent"));
    let stderr = refused(&project, &[]);
    assert!(stderr.contains("error: agent.toml:2:8: `agent.name` must be "), "{stderr}");
    assert!(stderr.contains(": `acme agent`\nhint: "), "{stderr}");
    project.write("agent.toml", text);
    let stderr = refused(&project, &["-o", "a+b.jar"]);
    assert!(stderr.contains("`[A-Za-z0-9._-]`") && stderr.contains(": `a+b.jar`\nhint: "), "{stderr}");
}

#[test]
fn a_missing_target() {
    let project = Project::new();
    let text = fs_err::read_to_string(project.path("agent.toml")).unwrap();
    project.write("agent.toml", text.replace("\n\n", "\ntargets = [\"s390x-gnu\"]\n\n"));
    let stderr = refused(&project, &[]);
    assert!(
        stderr.contains("error: base has no core for target: `s390x-gnu`\nhint: set `targets` to some of "),
        "{stderr}"
    );
}

#[test]
fn a_malformed_source_date_epoch() {
    let project = Project::new();
    let (code, _, stderr) = run(fatagent(&project.path(""), &["build"]).env("SOURCE_DATE_EPOCH", "yesterday"));
    assert_eq!(code, 1);
    assert!(stderr.contains("not a number of seconds from 1970 to 2107: `yesterday`\nhint: "), "{stderr}");
    assert!(!project.path("acme-agent.jar").exists());
}

#[test]
fn an_output_folder_that_does_not_exist() {
    let project = Project::new();
    let stderr = refused(&project, &["-o", "absent/x.jar"]);
    assert!(stderr.contains("error: cannot write `absent/x.jar`\n  caused by: "), "{stderr}");
}

#[test]
fn colour_only_where_it_is_wanted() {
    let project = Project::new();
    let coloured = |arguments: &[&str], no_color: bool| {
        let mut command = fatagent(&project.path(""), arguments);
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let (_, stdout, stderr) = run(&mut command);
        assert!(!stdout.contains('\u{1b}'));
        stderr.contains('\u{1b}')
    };
    assert!(!coloured(&["inspect", "absent"], false), "stderr is no terminal here");
    assert!(coloured(&["--color", "always", "inspect", "absent"], false));
    assert!(!coloured(&["--color", "never", "inspect", "absent"], false));
    assert!(!coloured(&["inspect", "absent"], true));
}

#[test]
fn the_command_line_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, stderr) = run(&mut fatagent(folder.path(), &["biuld"]));
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.starts_with("error: unrecognized subcommand 'biuld'\nhint: "), "{stderr}");
    let (code, stdout, _) = run(&mut fatagent(folder.path(), &["--message-format", "json", "off", "x"]));
    let object: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &object["reason"]), (2, &Value::from("error")));
    let (code, stdout, stderr) = run(&mut fatagent(folder.path(), &["build", "--help"]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let text = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Precompiled probes are trusted: until the safety verifier comes,"), "{stdout}");
    let (code, stdout, _) = run(&mut fatagent(folder.path(), &["--version"]));
    assert_eq!((code, stdout), (0, format!("fatagent {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn the_core_is_written_out() {
    let project = Project::new();
    run(&mut fatagent(&project.path(""), &["build"]));
    let (code, stdout, stderr) =
        run(&mut fatagent(&project.path(""), &["extract", "acme-agent.jar", "-o", "out/deep"]));
    assert_eq!((code, stdout.as_str()), (0, "out/deep/libagent_core.so\n"), "{stderr}");
    assert_eq!(fs_err::read(project.path("out/deep/libagent_core.so")).unwrap(), support::CORE);
    let (_, stdout, _) = run(&mut fatagent(&project.path(""), &["extract", "acme-agent.jar", "--all", "-o", "all"]));
    assert_eq!(stdout, format!("all/{}/libagent_core.so\n", support::target()));

    // A core that is not the one that was hashed is not written.
    let native = format!("META-INF/btrace/native/{}/libagent_core.so", support::target());
    let swap = |name: &str, bytes| Some(if name == native { b"another".to_vec() } else { bytes });
    let changed = support::rewritten(&project.path("acme-agent.jar"), swap);
    fs_err::write(project.path("changed.jar"), changed).unwrap();
    let (code, stdout, stderr) = run(&mut fatagent(&project.path(""), &["extract", "changed.jar", "-o", "none"]));
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.contains("error: core of `changed.jar` does not have the SHA-256 of its manifest: "), "{stderr}");
    assert!(!project.path("none").exists());
    let (code, _, stderr) = run(&mut fatagent(&project.path(""), &["extract", "statsd.zip"]));
    assert_eq!(code, 1);
    assert!(stderr.contains("error: `statsd.zip` has no core for target: "), "{stderr}");
}

#[test]
fn the_builtin_base_makes_a_whole_agent() {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("agent.toml"), "[agent]\nname = \"mine\"\nversion = \"1\"\n").unwrap();
    let (code, _, stderr) = run(&mut fatagent(folder.path(), &["build"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains(&format!("Core {}, needs glibc 2.", support::target())), "{stderr}");
    let (code, stdout, _) = run(&mut fatagent(folder.path(), &["verify", "mine.jar"]));
    assert_eq!(code, 0, "{stdout}");
    let (_, stdout, _) = run(&mut fatagent(folder.path(), &["inspect", "mine.jar", "--message-format", "json"]));
    let view: Value = serde_json::from_str(&stdout).unwrap();
    let core = &view["natives"][0];
    assert_eq!(core["target"], support::target());
    assert_eq!(core["architecture"], std::env::consts::ARCH);
    let exports = core["exports"].as_array().unwrap();
    for name in ["Agent_OnLoad", "Agent_OnAttach"] {
        assert!(exports.contains(&Value::from(name)), "{exports:?}");
    }
}

#[test]
fn an_incomplete_base_is_the_fault_of_the_base() {
    let project = Project::new();
    let base = project.path("base.jar");
    let reduced = support::without_entries(&base, &["io/btrace/runtime/IndyDispatcher.class"]);
    fs_err::write(base, reduced).unwrap();
    let stderr = refused(&project, &[]);
    assert!(
        stderr.contains("first: required classes are missing: `io/btrace/runtime/IndyDispatcher.class`\n"),
        "{stderr}"
    );
    assert!(stderr.contains("hint: `fatagent verify base.jar` shows whether the base is whole\n"), "{stderr}");
}

#[test]
fn off_needs_a_process() {
    let folder = tempfile::tempdir().unwrap();
    // Above the highest process id that Linux gives out.
    let (code, stdout, stderr) = run(&mut fatagent(folder.path(), &["off", "4194999"]));
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.starts_with("error: cannot attach to process: 4194999\n  caused by: "), "{stderr}");
}

#[test]
fn two_builds_are_the_same_whatever_the_machine_is_set_to() {
    let build = |zone: &str, threads: &str, umask: &str| {
        let project = Project::new();
        let mut shell = Command::new("sh");
        shell
            .current_dir(project.path(""))
            .args(["-c", "umask $1 && exec \"$0\" build", env!("CARGO_BIN_EXE_fatagent"), umask])
            .env("TZ", zone)
            .env("RAYON_NUM_THREADS", threads)
            .env("SOURCE_DATE_EPOCH", "1709210096");
        let (code, _, stderr) = run(&mut shell);
        assert_eq!(code, 0, "{stderr}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs_err::metadata(project.path("acme-agent.jar")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o644, "umask {umask}");
        }
        fs_err::read(project.path("acme-agent.jar")).unwrap()
    };
    let first = build("UTC", "1", "022");
    assert_eq!(first, build("Pacific/Chatham", "4", "077"));
    assert_eq!(first, build("America/St_Johns", "2", "000"));
}

#[test]
fn extensions_are_embedded_in_agents_of_ours_only() {
    let project = Project::new();
    for layout in ["plain", "masked", "foreign"] {
        let text = format!("[agent]\nname = \"acme-agent\"\nversion = \"1\"\nlayout = \"{layout}\"\n");
        project.write("agent.toml", text);
        let stderr = refused(&project, &["--embed", "acme-metrics"]);
        let message = format!("agent.toml: `--embed` with `layout = \"{layout}\"` is not supported");
        assert!(stderr.contains(&message), "{stderr}");
    }
}
