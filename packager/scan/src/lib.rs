//! Finds out which permissions code needs: a declaration for people and policies to read, not a sandbox.
//!
//! Every class is read once. What a method calls, makes, names as a class or a method handle, or looks up by a constant name is
//! compared with the table in [`rules`]. From the roots (providers of services, configurator, probes, API) a call graph then
//! tells what can be reached, so that a dead corner of a dependency privileges nobody. Both sets are in the [`Report`].
//!
//! What is computed at run time cannot be scanned and is said to be so, with the place.
//!
//! ```
//! use manifests::permission::Permission;
//! use scan::{Class, Roots, scan};
//!
//! let report = scan(&[], &Roots::default()).expect("nothing to read");
//! assert_eq!(report.present(), Vec::<Permission>::new());
//! ```

mod classes;
mod constants;
mod error;
mod input;
mod names;
pub mod native;
mod outcome;
mod permissions;
mod present;
mod reach;
mod report;
pub mod rules;

pub use error::Error;
pub use permissions::Permissions;
pub use report::{Finding, Report, Unscannable, Use};

use classes::Classes;

/// One class to scan.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    /// The class file.
    pub bytes: &'a [u8],
}

/// Where the code is entered from outside. With no root at all, everything counts as reachable.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// Classes that are instantiated and whose methods are called: providers, the configurator, probes. Internal names.
    pub instantiated: Vec<String>,
    /// Classes whose public and protected members may be used: the exported API. Internal names.
    pub open: Vec<String>,
    /// Service descriptors: the interface, dotted, and its providers, dotted, for what `ServiceLoader` makes.
    pub services: Vec<(String, Vec<String>)>,
}

impl Roots {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.instantiated.is_empty() && self.open.is_empty()
    }
}

/// Scans `classes` as one program. Copies of a class for several Java releases may all be there.
///
/// # Errors
/// A class that cannot be read, by its index.
pub fn scan(classes: &[Class<'_>], roots: &Roots) -> Result<Report, Error> {
    let parts = input::read(classes)?;
    let set = Classes::new(&parts);
    let found = present::all(&set)?;
    let reached = (!roots.is_empty()).then(|| reach::from(&set, &found, roots));
    Ok(report::build(&set, found, reached.as_ref()))
}
