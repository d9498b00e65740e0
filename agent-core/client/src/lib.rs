//! Attaches to running JVMs on Linux by `HotSpot`'s own protocol, without a Java tool and without `jdk.attach`.
//!
//! A JVM listens on a UNIX socket once a file named for it exists in its working folder and SIGQUIT reaches it. SIGQUIT
//! is dangerous otherwise: it ends a process that does not catch it, and makes a JVM that does not attach print all its
//! threads. So [`attach`] signals only a JVM that is seen to catch it, that is not stopped, and whose command line does
//! not forbid attaching.
//!
//! ```no_run
//! let session = client::attach(4711)?;
//! println!("Java {}", session.properties()?["java.version"]);
//! session.load_jar("/opt/agent.jar".as_ref(), "script=/opt/Trace.class")?;
//! # Ok::<(), client::Error>(())
//! ```

mod error;
mod process;
mod reply;
mod session;
mod sys;
mod trigger;

pub use error::{Error, Result};
pub use session::Session;

use std::time::Duration;

/// How long each step may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// Until a starting JVM catches SIGQUIT.
    pub ready: Duration,
    /// From the signal until the JVM listens.
    pub listen: Duration,
    /// For each read and write of a command. Loading an agent is one command, which takes as long as its `agentmain`.
    pub reply: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { ready: Duration::from_secs(5), listen: Duration::from_secs(20), reply: Duration::from_mins(2) }
    }
}

impl Timeouts {
    /// The same with another [`Timeouts::ready`].
    #[must_use]
    pub fn ready(self, ready: Duration) -> Self {
        Self { ready, ..self }
    }

    /// The same with another [`Timeouts::listen`].
    #[must_use]
    pub fn listen(self, listen: Duration) -> Self {
        Self { listen, ..self }
    }

    /// The same with another [`Timeouts::reply`].
    #[must_use]
    pub fn reply(self, reply: Duration) -> Self {
        Self { reply, ..self }
    }
}

/// Agent arguments with the user and the number of this process added, for the audit of the JVM that gets them. A JVM
/// cannot ask who attaches to it.
pub fn signed(arguments: &str) -> String {
    let comma = if arguments.is_empty() { "" } else { "," };
    format!("{arguments}{comma}client={}:{}", sys::effective_ids().0, std::process::id())
}

/// Makes the JVM with this process id listen, if it does not yet, and returns a session with it.
///
/// `pid` counts in the caller's namespace; the JVM may live in a container. The caller must be root or have the JVM's
/// effective user and group.
pub fn attach(pid: u32) -> Result<Session> {
    attach_with(pid, Timeouts::default())
}

/// As [`attach`], with other limits.
pub fn attach_with(pid: u32, timeouts: Timeouts) -> Result<Session> {
    session::attach(pid, timeouts)
}
