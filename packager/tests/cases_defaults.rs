//! `[config]`, `[policy]` and `[limits]`, and what extensions ask of each other: built, read back, verified, compared.

mod support;

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use support::{FOLDER_MANIFEST, Project, rewritten, statsd};

const CONF: &str = "META-INF/btrace/extensions.conf";
const POLICY: &str = "META-INF/btrace/permissions.properties";
const ARGUMENTS: &str = "META-INF/btrace/agent.properties";

/// Exit code, stdout and stderr, with paths of the project made relative.
fn run(project: &Project, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
    command.current_dir(project.path("")).args(arguments).env_remove("SOURCE_DATE_EPOCH").env_remove("NO_COLOR");
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The usual extensions, then `more`.
fn toml(project: &Project, more: &str) {
    project.toml(&format!("[[extension]]\npath = \"metrics\"\n[[extension]]\nfile = \"statsd.zip\"\n{more}"));
}

/// Builds the project and returns its warnings.
fn built(project: &Project) -> Vec<String> {
    let (code, _, stderr) = run(project, &["build"]);
    assert_eq!(code, 0, "{stderr}");
    let warnings = stderr.lines().filter_map(|line| line.strip_prefix("warning: "));
    // The extensions of these tests declare more than they use, which is another test's matter.
    let unused = "declares permissions that its code does not need";
    warnings.filter(|line| !line.contains(unused)).map(str::to_owned).collect()
}

/// What a build that fails says: the error with its causes, and the hint. The old jar stays.
fn refused(project: &Project) -> (String, String) {
    let jar = project.path("acme-agent.jar");
    fs_err::write(&jar, "old").unwrap();
    let (code, stdout, stderr) = run(project, &["build"]);
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert_eq!(fs_err::read(&jar).unwrap(), b"old", "the old output was touched");
    let after = |start: &str| stderr.lines().find_map(|line| line.trim_start().strip_prefix(start)).map(str::to_owned);
    let cause = after("caused by: ").map(|cause| format!(": {cause}")).unwrap_or_default();
    (after("error: ").unwrap() + &cause, after("hint: ").unwrap_or_default())
}

fn entry(project: &Project, name: &str) -> String {
    String::from_utf8(fixtures::read_entry(&project.path("acme-agent.jar"), name).unwrap()).unwrap()
}

/// Builds the project with `more` and makes the result the base of what is built next, without extensions of its own.
fn as_base(project: &Project, more: &str) {
    toml(project, more);
    built(project);
    fs_err::rename(project.path("acme-agent.jar"), project.path("base.jar")).unwrap();
    project.toml("");
}

const ALL: &str = "[config]\n\"extensions.disabled\" = [\"vendor-statsd\"]\nacme-metrics.window = 5\n\
                   [policy]\nsealed = true\ngrant = [\"NETWORK\"]\nallowExtensions = [\"acme-metrics\"]\n\
                   [limits]\nmaxMethods = 10\nmaxEventsPerSecond = 100\n[args]\nport = 0\n";

#[test]
fn defaults_are_embedded_and_shown() {
    let project = Project::new();
    toml(&project, ALL);
    assert_eq!(built(&project), [""; 0]);
    assert_eq!(entry(&project, CONF), "extensions.disabled=vendor-statsd\nacme-metrics.window=5\n");
    assert_eq!(entry(&project, POLICY), "sealed=true\ngrant=NETWORK\nallowExtensions=acme-metrics\n");
    assert_eq!(entry(&project, ARGUMENTS), "port=0\nmaxMethods=10\nmaxEventsPerSecond=100\n");
    let first = fs_err::read(project.path("acme-agent.jar")).unwrap();
    built(&project);
    assert_eq!(fs_err::read(project.path("acme-agent.jar")).unwrap(), first, "two builds differ");

    let (code, text, _) = run(&project, &["inspect", "acme-agent.jar"]);
    assert_eq!(code, 0);
    for line in [
        "           granted by the policy",
        "argument   port=0",
        "limit      maxMethods=10",
        "limit      maxEventsPerSecond=100",
        "config     acme-metrics.window=5",
        "policy     sealed=true",
    ] {
        assert!(text.lines().any(|shown| shown == line), "no `{line}` in:\n{text}");
    }
    assert!(!text.contains("argument   maxMethods"), "{text}");
    let (_, text, _) = run(&project, &["inspect", "acme-agent.jar", "--message-format", "json"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["limits"], json!({ "maxMethods": "10", "maxEventsPerSecond": "100" }));
    assert_eq!(json["config"]["extensions.disabled"], "vendor-statsd");
    assert_eq!(json["policy"]["grant"], "NETWORK");
    assert_eq!(json["extensions"][0]["granted"], true);

    let (code, _, stderr) = run(&project, &["verify", "acme-agent.jar"]);
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn every_denied_extension_is_named_with_what_would_grant_it() {
    let project = Project::new();
    toml(&project, "");
    let metrics = "the default policy denies extension `acme-metrics`: nothing grants the privileged `NETWORK`, `THREADS`; hint: \
                   set `grant = [\"NETWORK\", \"THREADS\"]` or `allowExtensions = [\"acme-metrics\"]` under `[policy]`";
    let statsd = "the default policy denies extension `vendor-statsd`: nothing grants the privileged `NETWORK`; hint: set `grant \
                  = [\"NETWORK\"]` or `allowExtensions = [\"vendor-statsd\"]` under `[policy]`";
    assert_eq!(built(&project), [metrics, statsd]);
    let (_, text, _) = run(&project, &["inspect", "acme-agent.jar"]);
    let line = "           denied by the default policy: nothing grants the privileged `NETWORK`, `THREADS`";
    assert!(text.lines().any(|shown| shown == line), "{text}");
    let (_, text, _) = run(&project, &["inspect", "acme-agent.jar", "--message-format", "json"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["policy"], Value::Null);
    assert_eq!(json["extensions"][1]["granted"], false);

    toml(&project, "[policy]\nallowExtensions = [\"acme-metrics\", \"vendor-statsd\"]\ndeny = [\"THREADS\"]\n");
    let (code, stdout, stderr) = run(&project, &["build", "--message-format", "json"]);
    assert_eq!(code, 0, "{stderr}");
    let json: Value = serde_json::from_str(&stdout).unwrap();
    let expected = json!([{
        "id": "acme-metrics",
        "reasons": [{
            "reason": "permission-denied",
            "permissions": ["THREADS"],
            "key": "policy.deny",
            "message": "`deny` names `THREADS`",
        }],
        "hints": ["take `THREADS` out of `deny` under `[policy]`"],
    }]);
    assert_eq!((json["reason"].as_str(), &json["denied"]), (Some("artifact"), &expected));
    assert_eq!(stderr.matches("denies extension").count(), 1, "{stderr}");

    toml(&project, "[policy]\ngrantAll = true\n");
    assert!(built(&project).is_empty());
}

#[test]
fn settings_of_nobody_are_pointed_out() {
    let project = Project::new();
    toml(
        &project,
        "[policy]\ngrantAll = true\n[config]\nacme-metrcs.window = 5\n\"extensions.enable\" = \"acme-metrics\"\n\
         \"extensions.enabled\" = \"acme-metrics, vendor-statd\"\nother = 1\n",
    );
    let warnings = built(&project);
    let about: Vec<&str> = warnings.iter().map(String::as_str).filter(|line| line.starts_with("agent.toml:")).collect();
    assert_eq!(
        about,
        [
            "agent.toml:13:22: `acme-metrcs.window` is a setting of no embedded extension, did you mean `acme-metrics.window`?",
            "agent.toml:14:23: `extensions.enable` is a setting of no embedded extension, did you mean `extensions.enabled`?",
            "agent.toml:15:24: `extensions.enabled` names an extension that is not embedded: `vendor-statd`, did you mean \
             `vendor-statsd`?",
            "agent.toml:16:9: `other` is a setting of no embedded extension",
        ]
    );
    toml(&project, "[policy]\ndenyExtensions = [\"acme-metric\", \"other\"]\ngrantAll = true\n");
    assert_eq!(
        built(&project)[..2],
        [
            "agent.toml:11:1: `denyExtensions` names an extension that is not embedded: `acme-metric`, did you mean \
             `acme-metrics`?",
            "agent.toml:11:1: `denyExtensions` names an extension that is not embedded: `other`",
        ]
    );
}

#[test]
fn bad_values_are_refused_with_their_place() {
    let project = Project::new();
    for (more, message, hint) in [
        (
            "[config]\n\"extensions.autoload\" = \"yes\"\n",
            "agent.toml:11:25: a value of `[config]` cannot be used: `extensions.autoload` must be `true` or `false`: `yes`",
            "write `extensions.autoload` as `true` or `false`",
        ),
        (
            "[config]\n\"extensions.disabled\" = [\"a b\"]\n",
            "agent.toml:11:25: a value of `[config]` cannot be used: not an extension id: `a b`",
            "begin with a letter or digit, go on with letters, digits, `.`, `_` or `-`, and leave out `..`",
        ),
        (
            "[policy]\ngrants = [\"NETWORK\"]\n",
            "agent.toml:11:1: unknown key in `[policy]`: `grants`",
            "did you mean `grant`?",
        ),
        (
            "[policy]\ndeny = [\"NETWROK\"]\n",
            "agent.toml:11:8: `policy.deny` must be names of permissions: `NETWROK`",
            "did you mean `NETWORK`?",
        ),
        (
            "[limits]\nmaxMethods = 1\n[args]\nmaxMethods = 2\n",
            "agent.toml:11:1: `maxMethods` is given twice, in `[args]` and in `[limits]`",
            "remove `maxMethods` from `[args]`",
        ),
        (
            "[args]\nmaxMethods = \"many\"\n",
            "agent.toml:11:1: a value of `[args]` cannot be used: `maxMethods` must be a number above zero: `many`",
            "write `maxMethods` as a number above zero",
        ),
        (
            "[limits]\nmaxMethod = 1\n",
            "agent.toml:11:1: unknown key in `[limits]`: `maxMethod`",
            "did you mean `maxMethods`?",
        ),
        (
            "[limits]\nmaxMethods = 0\n",
            "agent.toml:11:14: `limits.maxMethods` must be a number above zero: `0`",
            "write `limits.maxMethods` as a number above zero",
        ),
    ] {
        toml(&project, more);
        assert_eq!(refused(&project), (message.to_owned(), hint.to_owned()));
    }
}

#[test]
fn defaults_of_the_base_are_kept_and_merged_key_by_key() {
    let project = Project::new();
    as_base(&project, &ALL.replace("sealed = true\n", ""));
    let base = |name: &str| fixtures::read_entry(&project.path("base.jar"), name).unwrap();
    let (conf, policy, arguments) = (base(CONF), base(POLICY), base(ARGUMENTS));
    assert_eq!(built(&project), [""; 0], "nothing was replaced");
    let jar = project.path("acme-agent.jar");
    for (name, bytes) in [(CONF, conf), (POLICY, policy), (ARGUMENTS, arguments)] {
        assert_eq!(fixtures::read_entry(&jar, name).unwrap(), bytes, "{name}");
    }

    project.toml(
        "[config]\nacme-metrics.window = 6\nvendor-statsd.port = 1\n[policy]\ngrant = [\"NETWORK\", \"EXEC\"]\n\
         [limits]\nmaxMethods = 20\n",
    );
    assert_eq!(
        built(&project),
        [
            "`[config]` replaces `acme-metrics.window` of the base, `5`, by: `6`",
            "`[policy]` replaces `grant` of the base, `NETWORK`, by: `NETWORK,EXEC`",
            "`[limits]` replaces `maxMethods` of the base, `10`, by: `20`",
        ]
    );
    assert_eq!(
        entry(&project, CONF),
        "extensions.disabled=vendor-statsd\nacme-metrics.window=6\nvendor-statsd.port=1\n"
    );
    assert_eq!(entry(&project, POLICY), "grant=NETWORK,EXEC\nallowExtensions=acme-metrics\n");
    assert_eq!(entry(&project, ARGUMENTS), "port=0\nmaxMethods=20\nmaxEventsPerSecond=100\n");

    // The policy decides about the base's extensions too.
    project.toml("[policy]\ngrant = []\n");
    let denied = built(&project);
    assert!(denied.iter().any(|line| line.starts_with("the policy denies extension `vendor-statsd`: ")), "{denied:?}");
}

#[test]
fn a_sealed_policy_of_the_base_is_only_narrowed() {
    let project = Project::new();
    as_base(&project, ALL);
    for (more, wider) in [
        ("grant = [\"NETWORK\", \"EXEC\"]\n", "`EXEC` of every extension"),
        ("sealed = false\n", "whatever a file or an argument grants, since it is not `sealed`"),
        (
            "allowExtensions = [\"acme-metrics\", \"vendor-statsd\"]\nsealed = false\n",
            "whatever a file or an argument grants, since it is not `sealed`; `FILE_WRITE`, `THREADS`, `NATIVE`, `EXEC`, \
             `REFLECTION`, `CLASSLOADER`, `UNLIMITED_MEMORY` of extension `vendor-statsd`",
        ),
    ] {
        project.toml(&format!("[policy]\n{more}"));
        let (message, hint) = refused(&project);
        assert_eq!(
            message,
            format!("agent.toml:6:2: the policy of base `base.jar` is sealed, but `[policy]` would grant {wider}")
        );
        assert_eq!(
            hint,
            "a sealed policy can only be narrowed: remove what grants more, or use a base with another policy"
        );
    }
    project.toml("[policy]\ndeny = [\"NETWORK\"]\n");
    let warnings = built(&project);
    assert_eq!(entry(&project, POLICY), "sealed=true\ngrant=NETWORK\nallowExtensions=acme-metrics\ndeny=NETWORK\n");
    let hint = "hint: the policy of the base is sealed: only a base with another one can grant it";
    assert_eq!(warnings.iter().filter(|line| line.ends_with(hint)).count(), 2, "{warnings:?}");
}

#[test]
fn declared_settings_are_checked_by_their_type() {
    let project = Project::new();
    as_base(&project, "[policy]\ngrantAll = true\n");
    let properties = "META-INF/btrace-extensions/acme-metrics/extension.properties";
    let declared = b"setting.window.size.type=integer\nsetting.on.type=boolean\nsetting.each.type=duration\n";
    let bytes = rewritten(&project.path("base.jar"), |name, mut bytes| {
        if name == properties {
            bytes.extend_from_slice(declared);
        }
        Some(bytes)
    });
    project.write("base.jar", bytes);
    project.toml("[config]\nacme-metrics.window.size = 5\nacme-metrics.on = true\nacme-metrics.each = \"5ms\"\n");
    assert!(built(&project).is_empty());
    project.toml("[config.acme-metrics]\nwindow.sise = 5\n");
    let warnings = built(&project);
    let text =
        "agent.toml:7:15: extension `acme-metrics` declares no setting `window.sise`, did you mean `window.size`?";
    assert!(warnings.iter().any(|line| line == text), "{warnings:?}");
    for (setting, kind, value, hint) in [
        ("window.size = \"x\"", "integer", "x", "write a whole number"),
        ("on = 1", "boolean", "1", "write `true` or `false`"),
        ("each = 5", "duration", "5", "write a number with `ns`, `us`, `ms`, `s`, `m` or `h`, such as `\"500ms\"`"),
    ] {
        project.toml(&format!("[config.acme-metrics]\n{setting}\n"));
        let key = setting.split(' ').next().unwrap();
        let column = key.len() + 4;
        let message = format!(
            "agent.toml:7:{column}: `acme-metrics.{key}` must be of the type `{kind}`, which extension `acme-metrics` declares: \
             `{value}`"
        );
        assert_eq!(refused(&project), (message, hint.to_owned()));
    }
}

#[test]
fn damaged_defaults_are_found() {
    let project = Project::new();
    toml(&project, ALL);
    built(&project);
    let jar = project.path("acme-agent.jar");
    for (name, text, what) in [
        (CONF, "extensions.autoload=perhaps", "`extensions.autoload` must be `true` or `false`: `perhaps`"),
        (CONF, "a=\\u12", "malformed"),
        (POLICY, "grant=NETWROK", "unknown permission: `NETWROK`"),
        (POLICY, "deny=EXEC\ndeny=NETWORK", "line 2 gives a key again: `deny`"),
        (CONF, "a.b=1\n\na.b=1", "line 3 gives a key again: `a.b`"),
        (POLICY, "denny=EXEC", "not a key of a policy: `denny`"),
        (ARGUMENTS, "maxMethods=0", "`maxMethods` must be a number above zero: `0`"),
    ] {
        let bytes = rewritten(&jar, |entry, bytes| Some(if entry == name { text.as_bytes().to_vec() } else { bytes }));
        project.write("changed.jar", bytes);
        let (code, stdout, _) = run(&project, &["verify", "changed.jar"]);
        assert_eq!(code, 1, "{stdout}");
        let shown = format!("embedded settings, policy or arguments cannot be used: 1\n  `{name}`: ");
        assert!(stdout.contains(&shown), "{stdout}");
        assert!(what == "malformed" || stdout.contains(what), "{stdout}");
        // Nor is such a jar a base.
        if what != "malformed" && name != ARGUMENTS {
            fs_err::rename(project.path("changed.jar"), project.path("base.jar")).unwrap();
            project.toml("");
            let (message, _) = refused(&project);
            assert_eq!(message, format!("cannot use `{name}` of `base.jar`: {what}"));
            toml(&project, ALL);
        }
        let original = Project::new();
        fs_err::copy(original.path("base.jar"), project.path("base.jar")).unwrap();
        built(&project);
    }
}

#[test]
fn a_policy_that_grants_more_is_refused_against_the_older_jar() {
    let against = |old: &str, new: &str| {
        let project = Project::new();
        toml(&project, old);
        built(&project);
        fs_err::create_dir_all(project.path("old")).unwrap();
        fs_err::rename(project.path("acme-agent.jar"), project.path("old/acme-agent.jar")).unwrap();
        toml(&project, new);
        built(&project);
        let arguments =
            ["verify", "acme-agent.jar", "--against", "old/acme-agent.jar", "--allow-growth", "10000"].as_slice();
        let (code, stdout, _) = run(&project, arguments);
        let (_, diff, _) = run(&project, &["diff", "old/acme-agent.jar", "acme-agent.jar"]);
        (code, stdout, diff)
    };
    let (code, stdout, diff) = against("", "[policy]\ngrant = [\"NETWORK\"]\nallowExtensions = [\"vendor-statsd\"]\n");
    assert_eq!(code, 1);
    let expected = "the policy grants more: 2\n  `NETWORK` of every extension\n  `FILE_WRITE`, `THREADS`, `NATIVE`, `EXEC`, \
                    `REFLECTION`, `CLASSLOADER`, `UNLIMITED_MEMORY` of extension `vendor-statsd`\n";
    assert!(stdout.contains(expected), "{stdout}");
    assert!(diff.contains("policy: 2 differ\n  + grant: `NETWORK`\n  + allowExtensions: `vendor-statsd`\n"), "{diff}");
    let (code, stdout, _) = against("[policy]\nsealed = true\n", "[policy]\nallowPrivileged = false\n");
    assert_eq!(code, 1);
    assert!(stdout.contains("the policy grants more: 1\n  whatever a file or an argument grants"), "{stdout}");
    let (code, stdout, diff) = against(
        "[policy]\ngrantAll = true\n[config]\nacme-metrics.a = 1\n",
        "[policy]\nsealed = true\ngrant = [\"NETWORK\"]\n[config]\nacme-metrics.a = 2\n",
    );
    assert_eq!(code, 0, "{stdout}");
    assert!(
        diff.contains("policy: 3 differ\n") && diff.contains("config: 1 differ\n  ~ acme-metrics.a: `1`, now `2`\n"),
        "{diff}"
    );
}

#[test]
fn extensions_in_a_circle_are_refused() {
    let project = Project::new();
    let metrics = |requires: &str| {
        let with = format!("-Version: 1.2.0\r\nBTrace-Extension-Requires: {requires}");
        project.write("metrics/META-INF/MANIFEST.MF", FOLDER_MANIFEST.replace("-Version: 1.2.0", &with));
    };
    metrics("vendor-statsd");
    let zip = |id: &str, requires: &str| {
        let zip = statsd(id).attribute("BTrace-Extension-Requires", requires).build(&project.path("")).unwrap();
        zip.file_name().unwrap().to_str().unwrap().to_owned()
    };
    let file = zip("vendor-statsd", "acme-metrics");
    project.toml(&format!("[[extension]]\npath = \"metrics\"\n[[extension]]\nfile = \"{file}\"\n"));
    assert_eq!(
        refused(&project),
        (
            "extensions require each other in a circle: `acme-metrics` requires `vendor-statsd`, which requires `acme-metrics`"
                .to_owned(),
            "take one of them out of the list of required extensions of another one".to_owned(),
        )
    );
    // Also where one of them is in the base.
    let good = zip("vendor-statsd", "acme-metrics-missing");
    project.toml(&format!("[[extension]]\nfile = \"{good}\"\n"));
    let warnings = built(&project);
    let text = "extension `vendor-statsd` requires one that is not embedded: `acme-metrics-missing`";
    assert!(warnings.iter().any(|line| line == text), "{warnings:?}");
    zip("vendor-statsd", "acme-metrics");
    built(&project);
    fs_err::rename(project.path("acme-agent.jar"), project.path("base.jar")).unwrap();
    project.toml("[[extension]]\npath = \"metrics\"\n");
    let (message, _) = refused(&project);
    assert!(message.ends_with("`vendor-statsd` requires `acme-metrics`, which requires `vendor-statsd`"), "{message}");
    metrics("vendor-stats");
    let warnings = built(&project);
    let text =
        "extension `acme-metrics` requires one that is not embedded: `vendor-stats`, did you mean `vendor-statsd`?";
    assert!(warnings.iter().any(|line| line == text), "{warnings:?}");
}

#[test]
fn ids_and_versions_that_our_tools_would_not_write_are_read_and_pointed_out() {
    let project = Project::new();
    let zip = statsd("VendorStatsd").attribute("BTrace-Extension-Version", "1.0").build(&project.path("")).unwrap();
    let file = Path::new(zip.file_name().unwrap()).display().to_string();
    project.toml(&format!("[policy]\ngrantAll = true\n[[extension]]\nfile = \"{file}\"\n"));
    assert_eq!(
        built(&project)[..2],
        [
            "the id of extension `VendorStatsd` has uppercase letters, which some disks do not tell apart; hint: its author \
             should use `vendor-statsd`",
            "the version of extension `VendorStatsd` is no semantic version, so that it cannot be compared: `1.0`; hint: its \
             author should use one such as `1.2.0`",
        ]
    );
}
