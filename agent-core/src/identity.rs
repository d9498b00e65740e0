//! What this agent is, for whoever looks at a JVM from outside: version and digest of the jar, as system properties.

use crate::audit;
use crate::guard::guarded;
use crate::jar::Jar;
use crate::log;
use crate::start::set_property;
use crate::state::Core;
use journal::Record;
use jvm::Jni;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io;
use std::sync::OnceLock;
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

const VERSION: &str = "btrace.agent.version";
const DIGEST: &str = "btrace.agent.jar.sha256";

/// How long the jar is left unread. Most of what a JVM that lives no longer than this needs is its start.
const DELAY: Duration = Duration::from_secs(2);
/// What the thread needs: its buffer, and the VM's frames when it sets a property.
const STACK: usize = 512 << 10;

static JAR_DIGEST: OnceLock<String> = OnceLock::new();
static READER: OnceLock<Thread> = OnceLock::new();

/// The SHA-256 of the agent jar, once it is known.
pub(crate) fn jar_digest() -> Option<&'static str> {
    JAR_DIGEST.get().map(String::as_str)
}

/// Reads the jar now, where somebody wants its digest.
pub(crate) fn hurry() {
    if audit::is_on()
        && let Some(reader) = READER.get()
    {
        reader.unpark();
    }
}

/// Sets the version, and on a thread of its own the digest: reading megabytes would be a tenth of a short JVM's time.
pub(crate) fn publish(core: &'static Core, jni: &Jni<'_>) {
    if READER.get().is_some() {
        return;
    }
    if let Some(version) = core.jar.attribute("Implementation-Version")
        && let Err(e) = set_property(jni, VERSION, version)
    {
        log::line(&format!("{VERSION} is not set: {e}"));
    }
    let reader = thread::Builder::new().name("fatagent-jar".to_owned()).stack_size(STACK);
    match reader.spawn(move || guarded("the reader of the jar", (), || read(core))) {
        Ok(handle) => {
            let _ = READER.set(handle.thread().clone());
        }
        Err(e) => log::line(&format!("{DIGEST} is not set: {e}")),
    }
}

fn read(core: &Core) {
    let end = Instant::now() + DELAY;
    while !audit::is_on() && Instant::now() < end {
        thread::park_timeout(end.saturating_duration_since(Instant::now()));
    }
    let digest = match digest(&core.jar) {
        Ok(digest) => digest,
        Err(e) => {
            log::line(&format!("{DIGEST} is not set: {} cannot be read: {e}", core.jar.path().display()));
            return;
        }
    };
    let digest = JAR_DIGEST.get_or_init(|| digest);
    audit::write(|| {
        Record::new("jar").with("jar", core.jar.path().display().to_string()).with("sha256", digest.as_str())
    });
    let set = core.vm.as_daemon(c"fatagent", |jni| set_property(jni, DIGEST, digest).map_err(|e| e.to_string()));
    // A JVM that is ending takes no more threads, and needs no property.
    if let Ok(Err(e)) = set {
        log::line(&format!("{DIGEST} is not set: {e}"));
    }
}

/// Of the file that was opened at the start, even if another one has its name by now.
fn digest(jar: &Jar) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut at = 0;
    loop {
        let length = jar.read_at(&mut buffer, at)?;
        if length == 0 {
            break;
        }
        hash.update(&buffer[..length]);
        at += length as u64;
    }
    Ok(hexadecimal(&hash.finalize()))
}

/// The SHA-256 of some bytes, as texts have it.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn digests_are_those_of_the_standard() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(super::sha256(b"abc"), abc);
    }
}
