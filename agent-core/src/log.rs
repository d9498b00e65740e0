//! The agent's own log.

use crate::files;
use journal::{Level, Log};
use jvm::Jvmti;
use manifests::arguments::AgentArguments;
use std::ffi::CString;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{LazyLock, Once};

static LOG: LazyLock<Log> = LazyLock::new(Log::new);

/// Bytes of the log file and its older parts, where `maxLogBytes` does not say otherwise.
const MAX_BYTES: u64 = 16 << 20;
/// Older parts of the log file.
const ROLLS: u32 = 3;

/// What a line is about; each has the name of a logger, as operators of `BTrace` know them.
#[derive(Clone, Copy)]
pub(crate) enum Topic {
    Agent,
    Extensions,
    Linking,
}

impl Topic {
    const ALL: [Self; 3] = [Self::Agent, Self::Extensions, Self::Linking];

    fn name(self) -> &'static str {
        match self {
            Self::Agent => "io.btrace.agent",
            Self::Extensions => "io.btrace.agent.extension",
            Self::Linking => "io.btrace.runtime.ExtensionIndy",
        }
    }
}

/// No level of a topic's own.
const NONE: u8 = u8::MAX;

/// Levels that system properties give to topics.
static OWN: [AtomicU8; Topic::ALL.len()] = [const { AtomicU8::new(NONE) }; Topic::ALL.len()];

/// Takes what a start says about the log; what it does not speak of stays as it was.
pub(crate) fn configure(jvmti: Jvmti, arguments: &AgentArguments) {
    static PROPERTIES: Once = Once::new();
    PROPERTIES.call_once(|| {
        if let Some(level) = property(jvmti, "defaultLogLevel") {
            LOG.set_level(level);
        }
        for topic in Topic::ALL {
            if let Some(level) = level_of(jvmti, topic.name()) {
                OWN[topic as usize].store(level as u8, Ordering::Relaxed);
            }
        }
    });
    match arguments.get("logLevel").map(Level::from_str) {
        Some(Ok(level)) => LOG.set_level(level),
        Some(Err(e)) => line(&chain("logLevel is ignored", &e, e.hint())),
        None if arguments.get("debug").is_some() => {
            LOG.set_level(if arguments.flag("debug") { Level::Debug } else { Level::Warn });
        }
        None => {}
    }
    if arguments.get("logFile").is_some() {
        match files::open("logFile", arguments, "maxLogBytes", MAX_BYTES, ROLLS) {
            Ok(file) => LOG.set_file(Some(file)),
            Err(e) => line(&format!("the log goes to stderr: {e}")),
        }
    }
}

/// The level that the command line's properties give to a logger: that of the longest name that it begins with.
pub(crate) fn level_of(jvmti: Jvmti, name: &str) -> Option<Level> {
    let mut name = name;
    loop {
        if let Some(level) = property(jvmti, &format!("log.{name}")) {
            return Some(level);
        }
        name = name.rsplit_once('.')?.0;
    }
}

/// A property of SLF4J's simple logger, whose names the log of `BTrace` takes, too.
fn property(jvmti: Jvmti, name: &str) -> Option<Level> {
    let name = CString::new(format!("org.slf4j.simpleLogger.{name}")).ok()?;
    jvmti.system_property(&name)?.parse().ok()
}

/// Whether debug lines are wanted.
pub(crate) fn debug_enabled() -> bool {
    wanted(Topic::Agent)
}

fn wanted(topic: Topic) -> bool {
    match OWN[topic as usize].load(Ordering::Relaxed) {
        NONE => LOG.is_enabled(Level::Debug),
        own => own <= Level::Debug as u8,
    }
}

/// Writes a warning.
pub(crate) fn line(text: &str) {
    LOG.write(Level::Warn, Topic::Agent.name(), text);
}

/// Writes a warning of which there may be many that differ only in what they speak of.
pub(crate) fn line_of(cause: &str, text: &str) {
    LOG.write_cause(Level::Warn, Topic::Agent.name(), cause, text);
}

/// Writes what the agent does without from now on.
pub(crate) fn failure(text: &str) {
    LOG.write(Level::Error, Topic::Agent.name(), text);
}

/// Writes what an argument asked for, whatever the level.
pub(crate) fn asked(text: &str) {
    LOG.say(Level::Info, Topic::Agent.name(), text);
}

/// Writes a line if debug lines are wanted.
pub(crate) fn debug(text: impl FnOnce() -> String) {
    debug_of(Topic::Agent, text);
}

/// Writes a line if debug lines of a topic are wanted.
pub(crate) fn debug_of(topic: Topic, text: impl FnOnce() -> String) {
    if wanted(topic) {
        LOG.say(Level::Debug, topic.name(), &text());
    }
}

/// The level of the whole log.
pub(crate) fn level() -> Level {
    LOG.level()
}

/// Writes a line of a logger of others, which has asked for its level.
pub(crate) fn foreign(level: Level, name: &str, text: &str) {
    // Our own lines do not name whom they come from on stderr.
    let named = if LOG.has_file() { text.to_owned() } else { format!("{name} - {text}") };
    if LOG.is_enabled(level) {
        LOG.write(level, name, &named);
    } else {
        LOG.say(level, name, &named);
    }
}

/// Writes a warning with an error, its causes and what to do, in one line.
pub(crate) fn error(context: &str, error: &dyn std::error::Error, hint: Option<String>) {
    line(&chain(context, error, hint));
}

/// An error, its causes and what to do.
pub(crate) fn chain(context: &str, error: &dyn std::error::Error, hint: Option<String>) -> String {
    let mut text = format!("{context}: {error}");
    let mut cause = error.source();
    while let Some(e) = cause {
        text.push_str(": ");
        text.push_str(&e.to_string());
        cause = e.source();
    }
    if let Some(hint) = hint {
        text.push_str("; hint: ");
        text.push_str(&hint);
    }
    text
}
