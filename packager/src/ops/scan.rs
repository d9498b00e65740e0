//! `fatagent scan`: which permissions the code of some jars needs.

mod sarif;
mod show;

use std::path::PathBuf;

use manifests::permission::Permission;
use scan::Report;

use crate::archive::Limits;
use crate::error::Result;
use crate::printer::Printer;
use crate::program::Program;

/// What to scan, and how to show it.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Jars, zips and folders; together they are one program.
    pub jars: Vec<PathBuf>,
    /// Dotted names of further classes at which the program is entered.
    pub roots: Vec<String>,
    /// Whether everything counts, whatever can be reached.
    pub everything: bool,
    /// Whether the data is SARIF, whatever the message format.
    pub sarif: bool,
    /// Limits of reading.
    pub limits: Limits,
}

/// What a scan found.
#[derive(Debug)]
pub struct Scanned {
    pub(crate) program: Program,
    pub(crate) report: Report,
}

impl Scanned {
    /// Permissions that any code needs, native libraries included.
    pub fn present(&self) -> Vec<Permission> {
        self.with_natives(self.report.present())
    }

    /// Permissions that the roots reach. What loads a native library reaches everything in it.
    pub fn reachable(&self) -> Vec<Permission> {
        let reachable = self.report.reachable();
        if reachable.contains(&Permission::Native) { self.with_natives(reachable) } else { reachable }
    }

    /// What a manifest would declare.
    pub fn declared(&self) -> Vec<Permission> {
        if self.is_unscannable() { self.present() } else { self.reachable() }
    }

    /// Whether the roots reach something that cannot be scanned.
    pub fn is_unscannable(&self) -> bool {
        let natives = || self.program.natives().iter();
        let blind =
            natives().any(|native| native.library.as_ref().map_or(true, |library| !library.unscannable.is_empty()));
        self.report.is_unscannable() || blind && self.report.reachable().contains(&Permission::Native)
    }

    fn with_natives(&self, mut permissions: Vec<Permission>) -> Vec<Permission> {
        for native in self.program.natives() {
            permissions.extend(native.library.iter().flat_map(scan::native::Library::permissions));
        }
        permissions.sort_unstable();
        permissions.dedup();
        permissions
    }
}

/// Scans jars and prints what was found.
///
/// # Errors
/// A jar or a class in it cannot be read.
pub fn scan_jars(options: &Options, printer: &Printer) -> Result<Scanned> {
    let mut program = Program::read(&options.jars, options.limits)?;
    program.enter(options.roots.iter().cloned());
    let report = program.scan(options.everything)?;
    let scanned = Scanned { program, report };
    if options.sarif {
        printer.document(&sarif::document(&scanned));
    } else {
        for line in show::lines(&scanned, printer.verbose) {
            printer.text(&line);
        }
        printer.json("scan", show::json(&scanned));
    }
    Ok(scanned)
}
