//! `fatagent ext` and `fatagent policy` as an operator meets them.

#[path = "support/run.rs"]
mod run;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fixtures::Jar;
use run::Run;
use serde_json::Value;
use tempfile::TempDir;

const USER: &str = "home/.btrace/extensions";
const CONF: &str = "home/.btrace/extensions.conf";
const POLICY: &str = "home/.btrace/permissions.properties";

struct Machine(TempDir);

impl Machine {
    /// A home with three extensions, of which one needs a privileged permission and one says nothing.
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        machine.zip(
            &format!("{USER}/acme-metrics.zip"),
            "acme-metrics",
            &[("BTrace-Extension-Permissions", "MESSAGING")],
        );
        machine.zip(
            &format!("{USER}/acme-net.zip"),
            "acme-net",
            &[("BTrace-Extension-Permissions", "NETWORK,FILE_READ")],
        );
        machine.zip(&format!("{USER}/acme-old.zip"), "acme-old", &[]);
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs_err::read_to_string(self.path(name)).unwrap()
    }

    fn zip(&self, path: &str, id: &str, attributes: &[(&str, &str)]) {
        let api = Jar::new()
            .attribute("BTrace-Extension-Id", id)
            .attribute("BTrace-Extension-Version", "1.0.0")
            .attributes(attributes)
            .bytes()
            .unwrap();
        let zip = Jar::new().stored("x-api.jar", &api).stored("x-impl.jar", &Jar::new().bytes().unwrap());
        let path = self.path(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        zip.write(&path).unwrap();
    }

    /// An agent jar that embeds `spark`, which may not do all that it wants to.
    fn agent(&self, policy: &str) {
        Jar::new()
            .attribute("BTrace-Embedded-Extensions", "spark")
            .file(
                "META-INF/btrace-extensions/spark/extension.properties",
                b"id=spark\nversion=2.0.0\npermissions=THREADS,EXEC\n",
            )
            .file("META-INF/btrace/permissions.properties", policy.as_bytes())
            .file("META-INF/btrace/extensions.conf", b"extensions.disabled=other\n")
            .write(&self.path("agent.jar"))
            .unwrap();
    }

    fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).env("HOME", self.path("home")).args(arguments);
        command.env_remove("BTRACE_HOME").env_remove("BTRACE_EXT_PATH");
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let program = Path::new(env!("CARGO_BIN_EXE_fatagent"));
        let run = Run::of(self.command(program, arguments), Duration::from_mins(1));
        let plain = |text: &str| text.replace(&*self.0.path().to_string_lossy(), "*");
        Run { stdout: plain(&run.stdout), stderr: plain(&run.stderr), ..run }
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let run = self.run(&[arguments, &["--message-format", "json"]].concat()).ok();
        serde_json::from_str(&run.stdout).unwrap()
    }
}

#[test]
fn extensions_are_listed_with_their_state() {
    let machine = Machine::new();
    let run = machine.run(&["ext", "list"]).ok();
    assert_eq!(
        run.stdout,
        "acme-metrics  1.0.0  user  usable  */home/.btrace/extensions/acme-metrics.zip\n\
         acme-net      1.0.0  user  denied  */home/.btrace/extensions/acme-net.zip\n\
         acme-old      1.0.0  user  denied  */home/.btrace/extensions/acme-old.zip\n"
    );
    machine.agent("");
    machine.zip("more/acme-net.zip", "acme-net", &[("BTrace-Extension-Permissions", "")]);
    let run =
        machine.run(&["ext", "list", "--agent", "agent.jar", "--ext-path", "more", "--ext", "spark,acme-net"]).ok();
    assert_eq!(
        run.stdout,
        "acme-metrics  1.0.0  user      disabled  */home/.btrace/extensions/acme-metrics.zip\n\
         acme-net      1.0.0  argument  usable    more/acme-net.zip\n\
         acme-old      1.0.0  user      disabled  */home/.btrace/extensions/acme-old.zip\n\
         spark         2.0.0  embedded  denied    agent.jar\n"
    );
    run.says("the extension `acme-net` 1.0.0 in more/acme-net.zip is used instead of 1.0.0 in */home");
    let list = machine.json(&["ext", "list", "agent.jar"]);
    assert_eq!((&list["reason"], list["extensions"].as_array().unwrap().len()), (&Value::from("extensions"), 1));
    assert_eq!(list["extensions"][0]["permissions"], serde_json::json!(["THREADS", "EXEC"]));
    // Looking leaves nothing behind.
    assert!(!machine.path("home/.btrace/cache").exists());
}

#[test]
fn everything_about_an_extension_is_shown_under_either_name_of_the_program() {
    let machine = Machine::new();
    machine.write(CONF, "acme-net.port=8125\n");
    let by_id = machine.run(&["ext", "inspect", "acme-net"]).ok();
    for line in [
        "extension  acme-net 1.0.0",
        "zip        */home/.btrace/extensions/acme-net.zip",
        "needs      agent API 3.0+, Java 8+",
        "permission NETWORK, privileged",
        "permission FILE_READ, standard",
        "set        port=8125",
        "state      the extension `acme-net` is denied: nothing grants the privileged `NETWORK`; hint: `fatagent ext allow acme-net` \
         lets it have them",
    ] {
        assert!(by_id.stdout.lines().any(|shown| shown == line), "no `{line}` in\n{}", by_id.stdout);
    }
    let zip = format!("{USER}/acme-net.zip");
    assert!(machine.run(&["ext", "inspect", &zip]).ok().stdout.contains("extension  acme-net 1.0.0"));

    let btracex = machine.path("btracex");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fatagent"), &btracex).unwrap();
    let run = Run::of(machine.command(&btracex, &["inspect", &zip]), Duration::from_mins(1)).ok();
    assert!(run.stdout.contains("extension  acme-net 1.0.0"), "{}", run.stdout);
    let version = Run::of(machine.command(&btracex, &["--version"]), Duration::from_mins(1)).ok();
    assert!(version.stdout.starts_with("fatagent "), "{}", version.stdout);

    machine
        .run(&["ext", "inspect", "acme-ent"])
        .failed("no such extension: `acme-ent`")
        .says("did you mean `acme-net`?");
    machine.run(&["ext", "inspect", "./gone.zip"]).failed("file does not exist: `./gone.zip`");
    machine.write("text.zip", "no zip");
    machine.run(&["ext", "list", "text.zip"]).failed("`text.zip` cannot be read as a zip");
    fs_err::create_dir(machine.path("empty")).unwrap();
    machine.run(&["policy", "explain", "empty"]).failed("`empty` is no extension: there is none in it");
    machine.run(&["ext", "list", "--policy", "gone"]).failed("file does not exist: `gone`");
}

#[test]
fn switching_changes_lists_and_nothing_else_in_the_file() {
    let machine = Machine::new();
    machine.write(CONF, "# mine\nacme-net.port = 1\nextensions.disabled : a\n");
    let state = |id: &str| {
        let list = machine.json(&["ext", "list"]);
        let found = list["extensions"].as_array().unwrap().iter().find(|one| one["id"] == id).unwrap();
        found["state"].as_str().unwrap().to_owned()
    };
    let run = machine.run(&["ext", "disable", "acme-metrics", "acme-metrcis"]).ok();
    assert_eq!(run.stdout, format!("*/{CONF}\n"));
    run.says("Disabled acme-metrics in */home");
    run.says("there is no extension `acme-metrcis` here; did you mean `acme-metrics`?");
    assert_eq!(machine.read(CONF), "# mine\nacme-net.port = 1\nextensions.disabled=a,acme-metrics,acme-metrcis\n");
    assert_eq!(state("acme-metrics"), "disabled");
    machine.run(&["ext", "enable", "acme-metrics", "acme-metrcis", "a"]).ok();
    assert_eq!(machine.read(CONF), "# mine\nacme-net.port = 1\n");
    assert_eq!(state("acme-metrics"), "usable");
    // Where some are named, one more is; and its own switch is turned.
    machine.write(CONF, "extensions.enabled=x\nacme-metrics.enabled=false\n");
    machine.run(&["ext", "enable", "acme-metrics"]).ok();
    assert_eq!(machine.read(CONF), "extensions.enabled=x,acme-metrics\nacme-metrics.enabled=true\n");
    assert_eq!(state("acme-metrics"), "usable");
    // What another file says is told.
    machine.write("home/.btrace/btrace.conf", "extension.acme-metrics.enabled=false\n");
    machine
        .run(&["ext", "enable", "acme-metrics"])
        .ok()
        .says("`extension.acme-metrics.enabled` in */home/.btrace/btrace.conf");
    // A list of the agent jar goes on to count.
    machine.agent("");
    machine.run(&["ext", "disable", "spark", "--agent", "agent.jar", "--file", "new/extensions.conf"]).ok();
    assert_eq!(machine.read("new/extensions.conf"), "extensions.disabled=other,spark\n");
    machine.run(&["ext", "enable", "spark", "other", "--agent", "agent.jar", "--file", "new/extensions.conf"]).ok();
    assert_eq!(machine.read("new/extensions.conf"), "extensions.disabled=\n");

    machine.write(CONF, "extensions.autoload=maybe\n");
    machine.run(&["ext", "disable", "x"]).failed("cannot change `");
    assert_eq!(machine.read(CONF), "extensions.autoload=maybe\n");
    machine.run(&["ext", "disable", "no id"]).failed("not an extension id: `no id`");
    let mut homeless = machine.command(Path::new(env!("CARGO_BIN_EXE_fatagent")), &["ext", "deny", "x"]);
    homeless.env_remove("HOME");
    Run::of(homeless, Duration::from_mins(1)).failed("there is no home folder for `permissions.properties`");
}

#[test]
fn allowing_and_denying_writes_the_policy() {
    let machine = Machine::new();
    let granted = |id: &str| {
        let list = machine.json(&["policy", "explain"]);
        list["extensions"].as_array().unwrap().iter().find(|one| one["id"] == id).unwrap()["granted"].clone()
    };
    assert_eq!(granted("acme-net"), false);
    let run = machine.run(&["ext", "allow", "acme-net"]).ok();
    run.says("stands for the policies that agent jars embed, unless they are sealed");
    assert_eq!(machine.read(POLICY), "allowExtensions=acme-net\n");
    assert_eq!(granted("acme-net"), true);
    machine.run(&["ext", "deny", "acme-net"]).ok().is_silent_about("stands for");
    assert_eq!(machine.read(POLICY), "denyExtensions=acme-net\n");
    assert_eq!(granted("acme-net"), false);
    machine
        .run(&["ext", "allow", "acme-old"])
        .ok()
        .says("the extension `acme-old` is denied: it declares no permissions; hint: ");
    machine.agent("# of the jar\ngrant=THREADS\n");
    machine.run(&["ext", "allow", "spark", "--agent", "agent.jar", "--file", "spark.properties"]).ok();
    assert_eq!(machine.read("spark.properties"), "# of the jar\ngrant=THREADS\nallowExtensions=spark\n");
    machine.write(POLICY, "grnat=NETWORK\n");
    machine.run(&["ext", "allow", "acme-net"]).failed("cannot change `").says("hint: did you mean `grant`?");
    assert_eq!(machine.read(POLICY), "grnat=NETWORK\n");
}

#[test]
fn a_policy_is_explained_rule_by_rule() {
    let machine = Machine::new();
    machine.agent("grant=THREADS\n");
    let run = machine.run(&["policy", "explain", "agent.jar"]).ok();
    assert_eq!(
        run.stdout,
        "policy     the policy of the agent jar\n\
         extension  spark 2.0.0, embedded: denied: nothing grants the privileged `EXEC`\n           \
         THREADS, privileged: granted, `grant` names it\n           \
         EXEC, privileged: denied, nothing grants it\n           \
         hint: `fatagent ext allow spark` lets it have them\n"
    );
    let explained = machine.json(&["policy", "explain", "agent.jar", "--arguments", "grant=EXEC,deny=THREADS"]);
    assert_eq!(explained["policy"], "the policy of the agent jar and agent arguments");
    assert_eq!(explained["extensions"][0]["rules"][0]["because"], "`deny` names it");
    assert_eq!(explained["extensions"][0]["rules"][1]["granted"], true);
    machine.agent("sealed=true\n");
    machine.write(POLICY, "grantAll=true\n");
    let run = machine.run(&["policy", "explain", "agent.jar"]).ok();
    run.says("warning: the agent jar's policy is sealed, so this is refused: ");
    assert!(
        run.stdout
            .starts_with("policy     the sealed policy of the agent jar and */home/.btrace/permissions.properties\n")
    );
    let run = machine.run(&["policy", "explain", USER, "--agent", "agent.jar"]).ok();
    assert_eq!(run.stdout.lines().filter(|line| line.starts_with("extension ")).count(), 4, "{}", run.stdout);
    // The same decisions without the agent: nothing seals any more.
    let run = machine.run(&["policy", "explain", USER]).ok();
    assert!(run.stdout.contains("acme-net 1.0.0, argument: granted\n"), "{}", run.stdout);
    assert!(run.stdout.contains("acme-old 1.0.0, argument: denied: it declares no permissions\n"), "{}", run.stdout);
    let policy = machine.path("named.properties");
    fs_err::write(&policy, "bad=1\n").unwrap();
    let run = machine.run(&["policy", "explain", USER, "--policy", "named.properties"]).ok();
    run.says("no extension is granted: the policy named.properties cannot be read: not a key of a policy: `bad`");
}

/// Whatever else is found on this machine, no JVM is needed for any of this.
#[test]
fn no_java_is_needed() {
    let machine = Machine::new();
    let mut command = machine.command(Path::new(env!("CARGO_BIN_EXE_fatagent")), &["ext", "list"]);
    command.env("PATH", "").env_remove("JAVA_HOME");
    Run::of(command, Duration::from_mins(1)).ok();
}
