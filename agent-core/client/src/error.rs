//! The error of this crate.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Result of attaching and of commands.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a JVM could not be attached to, or did not do what it was told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such process, or it ended meanwhile.
    #[error("no running process has the id: {pid}")]
    NoProcess {
        /// Process id.
        pid: u32,
    },
    /// The process does not run `HotSpot`.
    #[error("process {pid} is not a HotSpot JVM: `{program}`")]
    NotJvm {
        /// Process id.
        pid: u32,
        /// Its name in the process table.
        program: String,
    },
    /// The process is stopped, so that it cannot answer, and would print all its threads once continued.
    #[error("process is stopped: {pid}")]
    Stopped {
        /// Process id.
        pid: u32,
    },
    /// The process belongs to somebody else.
    #[error("process {pid} has user {uid} and group {gid}, but we have user {own_uid} and group {own_gid}")]
    Permission {
        /// Process id.
        pid: u32,
        /// Effective user of the process.
        uid: u32,
        /// Effective group of the process.
        gid: u32,
        /// Our effective user.
        own_uid: u32,
        /// Our effective group.
        own_gid: u32,
    },
    /// What the system says about a process cannot be read.
    #[error("cannot inspect process {pid}")]
    Inspect {
        /// Process id.
        pid: u32,
        /// The cause, with the path.
        #[source]
        source: io::Error,
    },
    /// The JVM does not catch SIGQUIT, which would end it.
    #[error("JVM {pid} does not catch SIGQUIT after {} ms", waited.as_millis())]
    NoHandler {
        /// Process id.
        pid: u32,
        /// How long we waited for it.
        waited: Duration,
    },
    /// An option of the JVM forbids attaching.
    #[error("JVM {pid} was started with `-XX:+DisableAttachMechanism` in: {origin}")]
    Disabled {
        /// Process id.
        pid: u32,
        /// The command line or an environment variable.
        origin: &'static str,
    },
    /// The file that asks the JVM to listen could not be made.
    #[error("cannot create the file that asks JVM {pid} to listen")]
    Trigger {
        /// Process id.
        pid: u32,
        /// The cause, with the path.
        #[source]
        source: io::Error,
    },
    /// The signal could not be sent.
    #[error("cannot signal process {pid}")]
    Signal {
        /// Process id.
        pid: u32,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The JVM was asked to listen and did not.
    #[error("JVM {pid} does not listen after {} ms", waited.as_millis())]
    NotListening {
        /// Process id.
        pid: u32,
        /// How long we waited for it.
        waited: Duration,
    },
    /// The socket is not the JVM's own.
    #[error("`{}` is not the socket of JVM {pid}: {reason}", path.display())]
    ForeignSocket {
        /// Process id.
        pid: u32,
        /// Path of the socket as we see it.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The socket could not be connected to.
    #[error("cannot connect to JVM {pid}")]
    Connect {
        /// Process id.
        pid: u32,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The JVM did not take or answer a command in time.
    #[error("JVM {pid} did not answer in {} ms: `{command}`", waited.as_millis())]
    NoAnswer {
        /// Process id.
        pid: u32,
        /// The command.
        command: &'static str,
        /// The time limit.
        waited: Duration,
    },
    /// The connection broke during a command.
    #[error("connection to JVM {pid} failed during `{command}`")]
    Connection {
        /// Process id.
        pid: u32,
        /// The command.
        command: &'static str,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The JVM closed the connection without an answer, which is what it does with other users and malformed commands.
    #[error("JVM {pid} closed the connection without an answer: `{command}`")]
    Closed {
        /// Process id.
        pid: u32,
        /// The command.
        command: &'static str,
    },
    /// The answer is not of the protocol that we speak.
    #[error("JVM {pid} answered `{command}` with: `{answer}`")]
    Answer {
        /// Process id.
        pid: u32,
        /// The command.
        command: &'static str,
        /// The answer, shortened.
        answer: String,
    },
    /// The JVM refused a command.
    #[error("JVM {pid} refused `{command}` with {code}: {text}")]
    Refused {
        /// Process id.
        pid: u32,
        /// The command.
        command: &'static str,
        /// Its code.
        code: i32,
        /// Its words.
        text: String,
    },
    /// The system properties that the JVM sent are malformed.
    #[error("JVM {pid} sent malformed properties")]
    Properties {
        /// Process id.
        pid: u32,
        /// What is wrong with them.
        #[source]
        source: manifests::Error,
    },
    /// A path and its options are longer than a command may be.
    #[error("path and options of the agent have more than {limit} bytes: {length}")]
    TooLong {
        /// What the protocol allows.
        limit: usize,
        /// What was asked for.
        length: usize,
    },
    /// A path or options that the protocol cannot carry.
    #[error("path or options of the agent hold a NUL: {text:?}")]
    Nul {
        /// The text.
        text: String,
    },
    /// The JVM takes everything from the first `=` for options.
    #[error("path of the agent holds `=`: `{}`", path.display())]
    PathWithEquals {
        /// The path.
        path: PathBuf,
    },
    /// A relative path could not be made absolute.
    #[error("cannot resolve the path of the agent")]
    Resolve {
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The JVM does not load agents while it runs.
    #[error("JVM {pid} was started with `-XX:-EnableDynamicAgentLoading`")]
    NoDynamicLoading {
        /// Process id.
        pid: u32,
    },
    /// The JVM could not open the jar, or found no `Agent-Class` in it.
    #[error("JVM {pid} cannot read the jar or finds no `Agent-Class` in it: `{}`", path.display())]
    AgentJar {
        /// Process id.
        pid: u32,
        /// Path of the jar.
        path: PathBuf,
    },
    /// The JVM could not add the jar to its class path.
    #[error("JVM {pid} cannot add the jar to its class path: `{}`", path.display())]
    AgentClassPath {
        /// Process id.
        pid: u32,
        /// Path of the jar.
        path: PathBuf,
    },
    /// `agentmain` threw, or does not exist.
    #[error("`agentmain` failed in JVM {pid}: `{}`", path.display())]
    AgentMain {
        /// Process id.
        pid: u32,
        /// Path of the jar.
        path: PathBuf,
    },
    /// The agent returned another code than success.
    #[error("agent `{}` failed in JVM {pid} with code: {code}", path.display())]
    AgentCode {
        /// Process id.
        pid: u32,
        /// Path of the jar or library.
        path: PathBuf,
        /// What it returned.
        code: i32,
    },
    /// The JVM could not load the library.
    #[error("JVM {pid} cannot load `{}`: {text}", path.display())]
    Library {
        /// Process id.
        pid: u32,
        /// Path of the library.
        path: PathBuf,
        /// The JVM's words on one line.
        text: String,
    },
}

impl Error {
    /// What the user can do about it, where that is known.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoProcess { .. } | Self::NotJvm { .. } => "list the running JVMs with `jps -l`".to_owned(),
            Self::Stopped { pid } => format!("continue it with `kill -CONT {pid}`"),
            Self::Permission { uid, gid, .. } => {
                format!("run the command as user {uid} with group {gid}, or as root")
            }
            Self::Inspect { .. } => {
                "run the command as the user of the JVM and in its container, or as root".to_owned()
            }
            Self::NoHandler { .. } => {
                "a JVM started with `-Xrs` (`-XX:+ReduceSignalUsage`) listens only until its socket \
                is removed from the temporary folder: restart it, or start it with the agent by `-javaagent`"
                    .to_owned()
            }
            Self::Disabled { .. } => "restart the JVM without the option, or with the agent by `-javaagent`".to_owned(),
            Self::Trigger { .. } => {
                "make the working folder or the temporary folder of the JVM writable for its own user".to_owned()
            }
            Self::NotListening { .. } => "it is busy, or does not allow attaching \
                (`-XX:+DisableAttachMechanism`, then it printed its threads): try again, or start it with the agent by \
                `-javaagent`"
                .to_owned(),
            Self::ForeignSocket { path, .. } => {
                format!("remove `{}` if no JVM uses it, and find out who put it there", path.display())
            }
            Self::NoAnswer { command: "load", .. } => {
                "the agent may still be starting: see the log of the JVM before trying again".to_owned()
            }
            Self::NoAnswer { .. } => "the JVM is busy: try again".to_owned(),
            Self::Closed { .. } => "run the command as the user of the JVM".to_owned(),
            Self::TooLong { .. } => "put the options into a file or into the jar, or shorten the path".to_owned(),
            Self::PathWithEquals { .. } => "give the agent by a path without `=`, such as a symbolic link".to_owned(),
            Self::NoDynamicLoading { .. } => {
                "restart the JVM with `-XX:+EnableDynamicAgentLoading`, or with the agent \
                by `-javaagent`"
                    .to_owned()
            }
            Self::AgentJar { .. } => {
                "the path counts for the JVM: its user must be able to read the jar, and in its container".to_owned()
            }
            Self::AgentClassPath { .. } => "the path must be one that the encoding of the JVM can express".to_owned(),
            Self::AgentMain { .. } => "the standard error of the JVM has the stack trace".to_owned(),
            Self::AgentCode { code: -4, .. } => "the JVM is out of memory".to_owned(),
            Self::AgentCode { .. } => "the standard error of the JVM says more".to_owned(),
            Self::Library { .. } => {
                "the path counts for the JVM; the library must be built for its system and export `Agent_OnAttach`"
                    .to_owned()
            }
            Self::Connection { .. } | Self::Connect { .. } => "see whether the JVM is still running".to_owned(),
            Self::Signal { .. }
            | Self::Answer { .. }
            | Self::Refused { .. }
            | Self::Properties { .. }
            | Self::Nul { .. }
            | Self::Resolve { .. } => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn os() -> io::Error {
        io::Error::from(io::ErrorKind::PermissionDenied)
    }

    /// Every variant with its message and hint.
    #[test]
    fn messages_and_hints() {
        let pid = 7;
        let path = PathBuf::from("/a.jar");
        let waited = Duration::from_millis(1500);
        let command = "load";
        let text = "words".to_owned();
        let list = Some("list the running JVMs with `jps -l`");
        let cases: Vec<(Error, &str, Option<&str>)> = vec![
            (Error::NoProcess { pid }, "no running process has the id: 7", list),
            (Error::NotJvm { pid, program: "sleep".to_owned() }, "process 7 is not a HotSpot JVM: `sleep`", list),
            (Error::Stopped { pid }, "process is stopped: 7", Some("continue it with `kill -CONT 7`")),
            (
                Error::Permission { pid, uid: 1, gid: 2, own_uid: 3, own_gid: 4 },
                "process 7 has user 1 and group 2, but we have user 3 and group 4",
                Some("run the command as user 1 with group 2, or as root"),
            ),
            (
                Error::Inspect { pid, source: os() },
                "cannot inspect process 7",
                Some("run the command as the user of the JVM and in its container, or as root"),
            ),
            (
                Error::NoHandler { pid, waited },
                "JVM 7 does not catch SIGQUIT after 1500 ms",
                Some(
                    "a JVM started with `-Xrs` (`-XX:+ReduceSignalUsage`) listens only until its socket is removed from \
                     the temporary folder: restart it, or start it with the agent by `-javaagent`",
                ),
            ),
            (
                Error::Disabled { pid, origin: "the command line" },
                "JVM 7 was started with `-XX:+DisableAttachMechanism` in: the command line",
                Some("restart the JVM without the option, or with the agent by `-javaagent`"),
            ),
            (
                Error::Trigger { pid, source: os() },
                "cannot create the file that asks JVM 7 to listen",
                Some("make the working folder or the temporary folder of the JVM writable for its own user"),
            ),
            (Error::Signal { pid, source: os() }, "cannot signal process 7", None),
            (
                Error::NotListening { pid, waited },
                "JVM 7 does not listen after 1500 ms",
                Some(
                    "it is busy, or does not allow attaching (`-XX:+DisableAttachMechanism`, then it printed its \
                     threads): try again, or start it with the agent by `-javaagent`",
                ),
            ),
            (
                Error::ForeignSocket { pid, path: path.clone(), reason: "it is not a socket".to_owned() },
                "`/a.jar` is not the socket of JVM 7: it is not a socket",
                Some("remove `/a.jar` if no JVM uses it, and find out who put it there"),
            ),
            (
                Error::Connect { pid, source: os() },
                "cannot connect to JVM 7",
                Some("see whether the JVM is still running"),
            ),
            (
                Error::NoAnswer { pid, command, waited },
                "JVM 7 did not answer in 1500 ms: `load`",
                Some("the agent may still be starting: see the log of the JVM before trying again"),
            ),
            (
                Error::NoAnswer { pid, command: "properties", waited },
                "JVM 7 did not answer in 1500 ms: `properties`",
                Some("the JVM is busy: try again"),
            ),
            (
                Error::Connection { pid, command, source: os() },
                "connection to JVM 7 failed during `load`",
                Some("see whether the JVM is still running"),
            ),
            (
                Error::Closed { pid, command },
                "JVM 7 closed the connection without an answer: `load`",
                Some("run the command as the user of the JVM"),
            ),
            (Error::Answer { pid, command, answer: text.clone() }, "JVM 7 answered `load` with: `words`", None),
            (
                Error::Refused { pid, command, code: -1, text: text.clone() },
                "JVM 7 refused `load` with -1: words",
                None,
            ),
            (
                Error::Properties { pid, source: manifests::Error::ManifestContinuation { line: 1 } },
                "JVM 7 sent malformed properties",
                None,
            ),
            (
                Error::TooLong { limit: 1024, length: 1025 },
                "path and options of the agent have more than 1024 bytes: 1025",
                Some("put the options into a file or into the jar, or shorten the path"),
            ),
            (Error::Nul { text: "a\0".to_owned() }, "path or options of the agent hold a NUL: \"a\\0\"", None),
            (
                Error::PathWithEquals { path: "/a=b".into() },
                "path of the agent holds `=`: `/a=b`",
                Some("give the agent by a path without `=`, such as a symbolic link"),
            ),
            (Error::Resolve { source: os() }, "cannot resolve the path of the agent", None),
            (
                Error::NoDynamicLoading { pid },
                "JVM 7 was started with `-XX:-EnableDynamicAgentLoading`",
                Some("restart the JVM with `-XX:+EnableDynamicAgentLoading`, or with the agent by `-javaagent`"),
            ),
            (
                Error::AgentJar { pid, path: path.clone() },
                "JVM 7 cannot read the jar or finds no `Agent-Class` in it: `/a.jar`",
                Some("the path counts for the JVM: its user must be able to read the jar, and in its container"),
            ),
            (
                Error::AgentClassPath { pid, path: path.clone() },
                "JVM 7 cannot add the jar to its class path: `/a.jar`",
                Some("the path must be one that the encoding of the JVM can express"),
            ),
            (
                Error::AgentMain { pid, path: path.clone() },
                "`agentmain` failed in JVM 7: `/a.jar`",
                Some("the standard error of the JVM has the stack trace"),
            ),
            (
                Error::AgentCode { pid, path: path.clone(), code: -4 },
                "agent `/a.jar` failed in JVM 7 with code: -4",
                Some("the JVM is out of memory"),
            ),
            (
                Error::AgentCode { pid, path: path.clone(), code: 3 },
                "agent `/a.jar` failed in JVM 7 with code: 3",
                Some("the standard error of the JVM says more"),
            ),
            (
                Error::Library { pid, path, text },
                "JVM 7 cannot load `/a.jar`: words",
                Some(
                    "the path counts for the JVM; the library must be built for its system and export `Agent_OnAttach`",
                ),
            ),
        ];
        for (error, message, hint) in cases {
            assert_eq!(error.to_string(), message);
            assert_eq!(error.hint().as_deref(), hint, "{message}");
        }
    }
}
