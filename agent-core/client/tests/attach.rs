//! Attaching to real JVMs, and refusing everything else.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use client::{Error, Timeouts};
use fixtures::JavaHome;

/// Longest time for anything that a test waits for, on a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

const TARGET: &str = r#"
public class Target {
    public static void main(String[] arguments) throws Exception {
        System.setProperty("fa.odd", "a=b:c #!\\ \u00e9\u20ac\ud83d\ude00\t\nend ");
        System.out.println("ready");
        while (System.in.read() >= 0) { }
    }
}
"#;

const AGENT: &str = r#"
public class Agent {
    public static void agentmain(String options) {
        System.setProperty("fa.agent", String.valueOf(options));
        if ("throw".equals(options)) {
            throw new IllegalStateException("as told");
        }
    }
}
"#;

/// A JVM that runs until it is dropped. Its streams go to files.
struct Target {
    child: Child,
    folder: tempfile::TempDir,
}

impl Target {
    fn start(home: &JavaHome, flags: &[&str]) -> Self {
        let target = Self::launch(home, flags, |_| {});
        target.wait_until_ready();
        target
    }

    fn launch(home: &JavaHome, flags: &[&str], prepare: impl FnOnce(&mut Command)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fixtures::javac(&[("Target.java", TARGET)], &["--release", "11"], folder.path()).unwrap();
        let stream = |name: &str| Stdio::from(fs_err::File::create(folder.path().join(name)).unwrap().into_file());
        let mut command = Command::new(home.tool("java").unwrap());
        command.args(flags).args(["-Xshare:auto", "-cp"]).arg(folder.path()).arg("Target");
        command.current_dir(folder.path()).stdin(Stdio::piped()).stdout(stream("out")).stderr(stream("err"));
        for variable in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"] {
            command.env_remove(variable);
        }
        prepare(&mut command);
        Self { child: command.spawn().unwrap(), folder }
    }

    fn wait_until_ready(&self) {
        let start = Instant::now();
        while !self.read("out").contains("ready\n") {
            assert!(start.elapsed() < LIMIT, "not ready: {}", self.read("err"));
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn read(&self, name: &str) -> String {
        fs_err::read_to_string(self.folder.path().join(name)).unwrap()
    }

    /// Asserts that the JVM goes on as if nobody had touched it: no thread dump, no remainder, an end by its own.
    fn assert_unharmed(mut self) {
        drop(self.child.stdin.take());
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < LIMIT, "the JVM does not end");
            thread::sleep(Duration::from_millis(10));
        };
        assert!(status.success(), "{status}: {}", self.read("err"));
        assert_eq!(self.read("out"), "ready\n");
        let remainders: Vec<String> = walk(self.folder.path()).filter(|name| name.starts_with(".attach")).collect();
        assert!(remainders.is_empty(), "{remainders:?}");
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
        // The JVM leaves its socket behind when it is killed.
        let _none = fs_err::remove_file(socket(self.child.id()));
    }
}

/// A process that ends with the test, whatever its result.
struct Bystander(Child);

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _reaped = self.0.wait();
    }
}

fn walk(folder: &Path) -> impl Iterator<Item = String> {
    fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
}

fn socket(pid: u32) -> PathBuf {
    PathBuf::from(format!("/tmp/.java_pid{pid}"))
}

/// The JDKs that the test runs on, of which there is at least the one that compiles.
fn homes() -> Vec<JavaHome> {
    let homes: Vec<JavaHome> = fixtures::java_homes().into_iter().filter(|home| home.feature >= 11).collect();
    assert!(!homes.is_empty(), "tests need a JDK");
    homes
}

fn home() -> JavaHome {
    fixtures::compiler_home().unwrap()
}

fn agent_jar(folder: &Path) -> PathBuf {
    let classes = folder.join("classes");
    fixtures::javac(&[("Agent.java", AGENT)], &["--release", "11"], &classes).unwrap();
    let jar = folder.join("agent.jar");
    fixtures::jar_from_dir(&classes, &[("Agent-Class", "Agent")], &jar).unwrap();
    jar
}

fn signal(name: &str, pid: u32) {
    assert!(Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
}

#[test]
fn properties_come_back_as_they_were_set() {
    for home in homes() {
        let target = Target::start(&home, &["-Dfa.given=x y"]);
        let properties = client::attach(target.pid()).unwrap().properties().unwrap();
        assert_eq!(properties["fa.given"], "x y");
        assert_eq!(properties["fa.odd"], "a=b:c #!\\ é€😀\t\nend ");
        assert_eq!(properties["java.specification.version"], home.feature.to_string());
        target.assert_unharmed();
    }
}

#[test]
fn an_agent_jar_is_loaded_with_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let jar = agent_jar(folder.path());
    for home in homes() {
        let target = Target::start(&home, &[]);
        let session = client::attach(target.pid()).unwrap();
        assert_eq!(session.pid(), target.pid());
        session.load_jar(&jar, "a=b,c=\"d e\"").unwrap();
        assert_eq!(session.properties().unwrap()["fa.agent"], "a=b,c=\"d e\"");
        let again = client::attach(target.pid()).unwrap();
        again.load_jar(&jar, "").unwrap();
        assert_eq!(again.properties().unwrap()["fa.agent"], "null", "no options are not empty options");
        target.assert_unharmed();
    }
}

#[test]
fn a_jar_that_fails_says_how() {
    let folder = tempfile::tempdir().unwrap();
    let jar = agent_jar(folder.path());
    let plain = folder.path().join("plain.jar");
    fixtures::Jar::new().attribute("X", "y").write(&plain).unwrap();
    for home in homes() {
        let target = Target::start(&home, &[]);
        let session = client::attach(target.pid()).unwrap();
        assert!(matches!(session.load_jar(&jar, "throw"), Err(Error::AgentMain { .. })));
        assert!(matches!(session.load_jar(&plain, ""), Err(Error::AgentJar { .. })));
        assert!(matches!(session.load_jar(&folder.path().join("none.jar"), "x"), Err(Error::AgentJar { .. })));
        assert!(matches!(session.load_jar(Path::new("/a=b.jar"), ""), Err(Error::PathWithEquals { .. })));
        assert!(matches!(session.load_jar(&jar, "a\0b"), Err(Error::Nul { .. })));
        let long = session.load_jar(&jar, &"x".repeat(1024)).unwrap_err();
        assert!(matches!(long, Error::TooLong { limit: 1024, .. }), "{long}");
        let fits = 1024 - jar.as_os_str().len() - 1;
        session.load_jar(&jar, &"x".repeat(fits)).unwrap();
        assert_eq!(session.properties().unwrap()["fa.agent"].len(), fits);
        target.assert_unharmed();
    }
}

#[test]
fn a_native_agent_is_loaded_and_its_code_reported() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("agent.rs");
    // The code is the first digit of the options.
    let text = "#[unsafe(no_mangle)] pub extern \"C\" fn Agent_OnAttach(_: usize, options: *const u8, _: usize) -> i32 {\n\
        unsafe { i32::from(*options) - i32::from(b'0') }\n}\n";
    fs_err::write(&source, text).unwrap();
    let library = folder.path().join("libagent.so");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2024", "--crate-type", "cdylib", "-o"]).arg(&library).arg(&source);
    let output = fixtures::run(&mut command, LIMIT).unwrap();
    assert!(library.exists(), "{}", output.both());
    let text = folder.path().join("text.so");
    fs_err::write(&text, "no library").unwrap();

    for home in homes() {
        let target = Target::start(&home, &[]);
        let session = client::attach(target.pid()).unwrap();
        session.load_library(&library, "0").unwrap();
        assert!(matches!(session.load_library(&library, "7"), Err(Error::AgentCode { code: 7, .. })));
        match session.load_library(&text, "0") {
            Err(Error::Library { text, .. }) => assert!(text.contains("was not loaded."), "{text}"),
            other => panic!("{other:?}"),
        }
        target.assert_unharmed();
    }
}

#[test]
fn other_processes_are_left_alone() {
    let mut sleep =
        Bystander(Command::new("sleep").arg("600").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let pid = sleep.0.id();
    let error = client::attach(pid).unwrap_err();
    assert!(matches!(&error, Error::NotJvm { program, .. } if program == "sleep"), "{error}");
    assert_eq!(sleep.0.try_wait().unwrap(), None, "it must go on");
    drop(sleep);
    let gone = client::attach(pid).unwrap_err();
    assert!(matches!(gone, Error::NoProcess { .. }), "{gone}");
    assert!(matches!(client::attach(0).unwrap_err(), Error::NoProcess { pid: 0 }));
}

#[test]
fn a_jvm_that_forbids_attaching_is_not_signalled() {
    for home in homes() {
        let target = Target::start(&home, &["-XX:+DisableAttachMechanism"]);
        let error = client::attach(target.pid()).unwrap_err();
        assert!(matches!(error, Error::Disabled { origin: "the command line", .. }), "{error}");
        target.assert_unharmed();
    }
    let target = Target::launch(&home(), &[], |command| {
        command.env("JAVA_TOOL_OPTIONS", "-Xint -XX:+DisableAttachMechanism");
    });
    target.wait_until_ready();
    let error = client::attach(target.pid()).unwrap_err();
    assert!(matches!(error, Error::Disabled { origin: "JAVA_TOOL_OPTIONS", .. }), "{error}");
    target.assert_unharmed();

    // The variable comes first, so that the command line wins.
    let target = Target::launch(&home(), &["-XX:-DisableAttachMechanism"], |command| {
        command.env("JAVA_TOOL_OPTIONS", "-XX:+DisableAttachMechanism");
    });
    target.wait_until_ready();
    client::attach(target.pid()).unwrap();
    target.assert_unharmed();
}

#[test]
fn a_jvm_that_sigquit_would_end_is_not_signalled() {
    for home in homes() {
        let target = Target::start(&home, &["-Xrs"]);
        // With this option the JVM listens from the start.
        assert!(client::attach(target.pid()).unwrap().properties().is_ok());
        fs_err::remove_file(socket(target.pid())).unwrap();
        let timeouts = Timeouts::default().ready(Duration::from_millis(200));
        let error = client::attach_with(target.pid(), timeouts).unwrap_err();
        assert!(matches!(error, Error::NoHandler { .. }), "{error}");
        target.assert_unharmed();
    }
}

#[test]
fn a_starting_jvm_is_waited_for() {
    for home in homes() {
        let target = Target::launch(&home, &[], |_| {});
        let session = client::attach_with(target.pid(), Timeouts::default().ready(LIMIT).listen(LIMIT)).unwrap();
        target.wait_until_ready();
        assert_eq!(session.properties().unwrap()["java.specification.version"], home.feature.to_string());
        target.assert_unharmed();
    }
}

#[test]
fn a_stopped_jvm_is_not_signalled() {
    let target = Target::start(&home(), &[]);
    signal("-STOP", target.pid());
    let start = Instant::now();
    // The state changes a moment after the signal was sent.
    while !fs_err::read_to_string(format!("/proc/{}/status", target.pid())).unwrap().contains("State:\tT") {
        assert!(start.elapsed() < LIMIT, "never stopped");
        thread::sleep(Duration::from_millis(1));
    }
    let error = client::attach(target.pid()).unwrap_err();
    signal("-CONT", target.pid());
    assert!(matches!(error, Error::Stopped { .. }), "{error}");
    target.assert_unharmed();
}

#[test]
fn a_jvm_that_loads_no_agents_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let jar = agent_jar(folder.path());
    for home in homes() {
        let target = Target::start(&home, &["-XX:-EnableDynamicAgentLoading"]);
        let session = client::attach(target.pid()).unwrap();
        let error = session.load_jar(&jar, "").unwrap_err();
        assert!(matches!(error, Error::NoDynamicLoading { .. }), "{error}");
        assert!(!session.properties().unwrap().contains_key("fa.agent"));
        target.assert_unharmed();
    }
}

#[test]
fn a_socket_left_by_another_process_is_replaced() {
    let target = Target::start(&home(), &[]);
    drop(std::os::unix::net::UnixListener::bind(socket(target.pid())).unwrap());
    assert!(socket(target.pid()).exists());
    let session = client::attach(target.pid()).unwrap();
    assert!(session.properties().is_ok());
    target.assert_unharmed();
}

#[test]
fn a_socket_that_is_not_the_jvms_is_refused() {
    let target = Target::start(&home(), &[]);
    let listener = std::os::unix::net::UnixListener::bind(socket(target.pid())).unwrap();
    let error = client::attach(target.pid()).unwrap_err();
    let expected = format!("process {} listens there", std::process::id());
    assert!(matches!(&error, Error::ForeignSocket { reason, .. } if *reason == expected), "{error}");
    drop(listener);
    fs_err::remove_file(socket(target.pid())).unwrap();
    fs_err::write(socket(target.pid()), "").unwrap();
    let error = client::attach(target.pid()).unwrap_err();
    assert!(matches!(&error, Error::ForeignSocket { reason, .. } if reason == "it is not a socket"), "{error}");
    fs_err::remove_file(socket(target.pid())).unwrap();
    target.assert_unharmed();
}

/// Whether the machine allows what a test needs; where it does not, the test's name says what was left out.
fn allows(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

#[test]
fn root_attaches_to_another_users_jvm() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    // Only root can start a process as another user.
    if fs_err::metadata("/proc/self").unwrap().uid() != 0 {
        return;
    }
    let mut folder = None;
    let target = Target::launch(&home(), &[], |command| {
        let path = command.get_current_dir().unwrap().to_owned();
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        folder = Some(path);
        command.uid(65534).gid(65534);
    });
    target.wait_until_ready();
    let session = client::attach(target.pid()).unwrap();
    assert_eq!(session.properties().unwrap()["user.dir"], folder.unwrap().to_str().unwrap());
    target.assert_unharmed();
}

#[test]
fn a_jvm_in_its_own_namespace_is_found_by_our_id() {
    let namespace = ["--pid", "--mount", "--fork", "--mount-proc", "--kill-child"];
    if !allows("unshare", &[&namespace[..], &["true"]].concat()) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fixtures::javac(&[("Target.java", TARGET)], &["--release", "11"], folder.path()).unwrap();
    let stream = |name: &str| fs_err::File::create(folder.path().join(name)).unwrap().into_file();
    let mut command = Command::new("unshare");
    command.args(namespace).arg(home().tool("java").unwrap()).args(["-cp", ".", "Target"]);
    command.current_dir(folder.path()).stdin(Stdio::piped()).stdout(stream("out")).stderr(stream("err"));
    let unshare = Bystander(command.spawn().unwrap());
    let start = Instant::now();
    while !fs_err::read_to_string(folder.path().join("out")).unwrap().contains("ready") {
        let errors = fs_err::read_to_string(folder.path().join("err")).unwrap();
        assert!(start.elapsed() < LIMIT, "not ready: {errors}");
        thread::sleep(Duration::from_millis(10));
    }
    let children = format!("/proc/{0}/task/{0}/children", unshare.0.id());
    let pid: u32 = fs_err::read_to_string(children).unwrap().trim().parse().unwrap();
    let properties = client::attach(pid).and_then(|session| session.properties());
    drop(unshare);
    // Inside, the JVM has the id 1.
    let _none = fs_err::remove_file(socket(1));
    assert_eq!(properties.unwrap()["fa.odd"], "a=b:c #!\\ é€😀\t\nend ");
}
