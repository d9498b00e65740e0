//! The audit: what was done to this JVM, by whom, and what the agent refused.

use crate::jar::Jar;
use crate::{files, identity, log};
use journal::{Audit, Record};
use manifests::arguments::AgentArguments;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

static AUDIT: RwLock<Option<Arc<Audit>>> = RwLock::new(None);
/// Whether there is an audit: asked where each class is woven.
static ON: AtomicBool = AtomicBool::new(false);

/// Bytes of the audit file and its older parts, where `maxAuditBytes` does not say otherwise.
const MAX_BYTES: u64 = 64 << 20;
/// Older parts of the audit file.
const ROLLS: u32 = 7;

/// Who attached, as a client says it of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Client {
    uid: u32,
    pid: u32,
}

impl Client {
    /// Takes the client out of the arguments: it belongs to this start alone.
    pub(crate) fn take(arguments: &mut AgentArguments) -> Option<Self> {
        let text = arguments.get("client")?.to_owned();
        arguments.remove("client");
        let (uid, pid) = text.split_once(':')?;
        Some(Self { uid: uid.parse().ok()?, pid: pid.parse().ok()? })
    }
}

/// Takes what a start says about the audit; one that says nothing leaves it as it was.
pub(crate) fn configure(arguments: &AgentArguments) {
    if arguments.get("auditFile").is_none() {
        return;
    }
    match files::open("auditFile", arguments, "maxAuditBytes", MAX_BYTES, ROLLS) {
        Ok(file) => {
            let mut audit = AUDIT.write().unwrap_or_else(PoisonError::into_inner);
            // The same file again is no reason to forget when its part began.
            if audit.as_ref().is_none_or(|audit| audit.file().path() != file.path()) {
                *audit = Some(Arc::new(Audit::new(file)));
            }
            ON.store(true, Ordering::SeqCst);
        }
        Err(e) => log::failure(&format!("there is no audit: {e}")),
    }
}

/// Whether records are wanted.
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::SeqCst)
}

/// Appends a record, where records are wanted.
pub(crate) fn write(record: impl FnOnce() -> Record) {
    if !is_on() {
        return;
    }
    let audit = AUDIT.read().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(audit) = audit else { return };
    if let Err(e) = audit.append(record()) {
        let path = audit.file().path().display();
        let text =
            format!("the audit {path} lacks a record: {e}; hint: make room, or name another file with `auditFile`");
        log::line_of("the audit cannot be written", &text);
    }
}

/// The record of a start: the first one of the JVM, or one that attaches to the running core.
pub(crate) fn started(event: &str, jar: &Jar, arguments: &AgentArguments, client: Option<Client>) {
    write(|| {
        let attribute = |name| jar.attribute(name).unwrap_or_default();
        let record = Record::new(event)
            .with("version", attribute("Implementation-Version"))
            .with("build", attribute("BTrace-Build-Id"))
            .with("jar", jar.path().display().to_string())
            .with_some("jarSha256", identity::jar_digest())
            .with("arguments", arguments.to_string());
        by(record, client)
    });
    identity::hurry();
}

/// Adds who asked for it, where that is known.
pub(crate) fn by(record: Record, client: Option<Client>) -> Record {
    record
        .with_some("clientUid", client.map(|client| client.uid))
        .with_some("clientPid", client.map(|client| client.pid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_taken_out_whatever_it_says() {
        let take = |text: &str| {
            let mut arguments = AgentArguments::parse(text).expect("arguments");
            (Client::take(&mut arguments), arguments.to_string())
        };
        assert_eq!(take("off,client=1000:42"), (Some(Client { uid: 1000, pid: 42 }), "off".to_owned()));
        assert_eq!(take("client=me,debug"), (None, "debug".to_owned()));
        assert_eq!(take("client=-1:2"), (None, String::new()));
        assert_eq!(take("debug"), (None, "debug".to_owned()));
    }
}
