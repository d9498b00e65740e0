//! The agent's log, its audit, and the files that both and the probes write to.
//!
//! Nothing here knows a JVM. Whatever the crate does happens inside somebody else's process: it never panics on what it
//! is given, never waits for another process, and a file that cannot be written is no error of the application.
//!
//! - [`Log`] writes lines by [`Level`]: to stderr, each cause at most once a minute, or to a file, whole.
//! - [`Record`] is one line of JSON, as [`Audit`] writes them.
//! - [`RollingFile`] appends to a file that is rolled by [`Limits`], so that all its parts together stay below a size.
//! - [`Place`] fills in `{pid}`, `{host}`, `{executor}` and `{env:NAME}` in the path of a file.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! use journal::{Level, Limits, Log, Place, RollingFile};
//!
//! let place = Place { pid: 7, host: "node-1".into(), ..Place::default() };
//! let path = folder.path().join(place.fill("agent-{host}-{pid}.log")?);
//! let log = Log::default();
//! log.set_level(Level::Info);
//! log.set_file(Some(RollingFile::open(&path, Limits::sized(1 << 20, 4))?));
//! log.write(Level::Info, "io.btrace.agent", "started");
//! assert!(fs_err::read_to_string(&path)?.ends_with(" INFO io.btrace.agent - started\n"));
//! assert!(path.ends_with("agent-node-1-7.log"));
//! # Ok(())
//! # }
//! ```

mod audit;
mod cause;
mod error;
mod level;
mod log;
mod place;
mod rolling;
mod time;

pub use audit::{Audit, Record};
pub use error::Error;
pub use level::Level;
pub use log::Log;
pub use place::Place;
pub use rolling::{Limits, RollingFile};
pub use time::timestamp;
