//! `fatagent verify`: whether a jar is a whole and unchanged agent. Everything that is wrong is collected.

mod against;
mod classes;
mod contents;
mod defaults;
mod extensions;
mod foreign;
mod gates;
pub(crate) mod manifest;
mod masked;
mod services;
#[cfg(test)]
mod tests;

pub(crate) use gates::Gates;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::archive::{Archive, Limits, case_clashes};
use crate::error::{Error, Result};
use crate::foreign::sections::masked_suffix;
use crate::ops::verify::contents::Contents;
use crate::paths;
use crate::printer::Printer;

/// Samples shown of each kind of failure.
const SAMPLES: usize = 3;

/// What can be wrong with a jar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Entries that cannot be inflated.
    DamagedEntry,
    /// The zip's headers contradict its directory.
    Headers,
    /// The manifest is not where the JVM and our Loader look first, or is missing or malformed.
    Manifest,
    /// Attributes that are missing or have a value that does not fit.
    Attribute,
    /// Classes without which no agent starts.
    MissingClass,
    /// Entry classes without a method that the JVM calls.
    EntryMethod,
    /// Classes that are both visible and masked.
    ClassTwice,
    /// Class files that hold no class, or another one.
    ClassFile,
    /// Files at the root, where every application would see them.
    Root,
    /// Extensions whose description or index is missing or malformed.
    Extension,
    /// Classes that an index lists but that are missing or changed.
    IndexedClass,
    /// Classes of an extension that its index does not list.
    UnlistedClass,
    /// Services without class or implementation.
    Service,
    /// Probe classes that are none.
    Probe,
    /// Native cores that are missing, changed or not listed.
    Native,
    /// The build id is not that of the contents.
    BuildId,
    /// Larger than `[verify] max-size`, or than the older jar.
    Size,
    /// Fewer classes than `[verify] min-classes`.
    ClassCount,
    /// Patterns of `[verify] require` that no entry matches.
    Required,
    /// Entries that a pattern of `[verify] forbid` matches.
    Forbidden,
    /// Entries that the listing of `[verify] golden` does not have, or that only it has.
    Golden,
    /// Embedded settings, policy or arguments that cannot be read.
    Defaults,
    /// Permissions that the older jar does not ask for.
    Permission,
    /// What the policy grants and that of the older jar does not.
    Policy,
    /// Bootstrap classes that the older jar does not have.
    Bootstrap,
    /// Cores that are not those of the older jar.
    CoreChanged,
}

/// What `verify` does beside the checks of the jar itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// An older jar, which the jar may not exceed.
    pub against: Option<PathBuf>,
    /// Bytes by which the jar may be larger than the older one.
    pub allowed_growth: u64,
    /// The limits of reading.
    pub limits: Limits,
}

impl Kind {
    /// The name of the kind in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::DamagedEntry => "damaged-entry",
            Self::Headers => "headers",
            Self::Manifest => "manifest",
            Self::Attribute => "attribute",
            Self::MissingClass => "missing-class",
            Self::EntryMethod => "entry-method",
            Self::ClassTwice => "class-twice",
            Self::ClassFile => "class-file",
            Self::Root => "root",
            Self::Extension => "extension",
            Self::IndexedClass => "indexed-class",
            Self::UnlistedClass => "unlisted-class",
            Self::Service => "service",
            Self::Probe => "probe",
            Self::Native => "native",
            Self::BuildId => "build-id",
            Self::Size => "size",
            Self::ClassCount => "class-count",
            Self::Required => "required",
            Self::Forbidden => "forbidden",
            Self::Golden => "golden",
            Self::Defaults => "defaults",
            Self::Permission => "permission",
            Self::Policy => "policy",
            Self::Bootstrap => "bootstrap",
            Self::CoreChanged => "core-changed",
        }
    }

    /// What the kind is, for people.
    pub fn heading(self) -> &'static str {
        match self {
            Self::DamagedEntry => "entries cannot be read",
            Self::Headers => "entry headers contradict the directory of the jar",
            Self::Manifest => "the manifest is not usable",
            Self::Attribute => "manifest attributes are missing or wrong",
            Self::MissingClass => "required classes are missing",
            Self::EntryMethod => "entry classes lack the method that the JVM calls",
            Self::ClassTwice => "classes are both bootstrap and masked",
            Self::ClassFile => "class files do not hold the class of their path",
            Self::Root => "files at the root are visible to every application",
            Self::Extension => "extensions are incomplete",
            Self::IndexedClass => "indexed classes are missing or changed",
            Self::UnlistedClass => "classes of an extension are not in its index",
            Self::Service => "services cannot be resolved",
            Self::Probe => "embedded probes are not usable",
            Self::Native => "native cores are missing, changed or not listed",
            Self::BuildId => "the build id is not that of the contents",
            Self::Size => "the jar is too large",
            Self::ClassCount => "the jar has too few classes",
            Self::Required => "required entries are missing",
            Self::Forbidden => "forbidden entries are there",
            Self::Golden => "the entries are not those of the golden listing",
            Self::Defaults => "embedded settings, policy or arguments cannot be used",
            Self::Permission => "permissions are new",
            Self::Policy => "the policy grants more",
            Self::Bootstrap => "bootstrap classes are new",
            Self::CoreChanged => "native cores are not those of the older jar",
        }
    }
}

/// All failures of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind.
    pub kind: Kind,
    /// How many there are.
    pub count: usize,
    /// The first three.
    pub samples: Vec<String>,
}

impl Failure {
    /// The kind with all samples, on one line.
    fn line(&self) -> String {
        let more = self.count - self.samples.len();
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        format!("{}: {}{more}", self.kind.heading(), self.samples.join(", "))
    }

    /// The kind with its first sample.
    pub fn first_line(&self) -> String {
        let sample = self.samples.first().map_or_else(String::new, |sample| format!(": {sample}"));
        format!("{}{sample}", self.kind.heading())
    }
}

/// What `verify` found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Entries of the jar.
    pub entries: usize,
    /// What is wrong, in the order in which it was found.
    pub failures: Vec<Failure>,
    /// What may surprise.
    pub warnings: Vec<String>,
    /// Of another vendor's jar: classes by section.
    pub sections: BTreeMap<String, usize>,
}

impl Report {
    /// Number of single failures.
    pub fn problems(&self) -> usize {
        self.failures.iter().map(|failure| failure.count).sum()
    }

    /// Records one failure.
    fn fail(&mut self, kind: Kind, sample: impl Into<String>) {
        let at = self.failures.iter().position(|failure| failure.kind == kind).unwrap_or_else(|| {
            self.failures.push(Failure { kind, count: 0, samples: Vec::new() });
            self.failures.len() - 1
        });
        let failure = &mut self.failures[at];
        failure.count += 1;
        if failure.samples.len() < SAMPLES {
            failure.samples.push(sample.into());
        }
    }
}

/// Verifies the jar at `path` by itself and prints the report.
///
/// # Errors
/// As [`verify_with`].
pub fn verify(path: &Path, printer: &Printer) -> Result<Report> {
    verify_with(path, &Options::default(), printer)
}

/// Verifies the jar at `path`, perhaps against an older one, and prints the report.
///
/// # Errors
/// A jar cannot be opened, or the one at `path` does not pass.
pub fn verify_with(path: &Path, options: &Options, printer: &Printer) -> Result<Report> {
    let archive = Archive::open_with(path, options.limits)?;
    let mut report = check(&archive);
    check_name(path, &archive, &mut report);
    let own = report.problems();
    if let Some(old) = &options.against {
        against::check(path, old, options, &mut report)?;
    }
    for warning in &report.warnings {
        printer.warning(warning);
    }
    print(path, &report, printer);
    match (report.problems(), &options.against) {
        (0, _) => Ok(report),
        (count, Some(old)) if own == 0 => Err(Error::AgainstFailed { jar: path.to_owned(), old: old.clone(), count }),
        (count, _) => Err(Error::VerifyFailed { jar: path.to_owned(), count }),
    }
}

/// Checks everything but the jar's file name.
pub(crate) fn check(archive: &Archive) -> Report {
    let mut report = Report { entries: archive.entries().len(), ..Report::default() };
    let contents = Contents::read(archive, &mut report);
    if let Err(error) = archive.check_headers() {
        report.fail(Kind::Headers, error.to_string());
    }
    if let Some(manifest) = masked::manifest_of(&contents) {
        masked::check(&contents, &manifest, &mut report);
        return report;
    }
    if foreign::is_foreign(&contents) {
        foreign::check(&contents, &mut report);
        return report;
    }
    let extensions = extensions::check(&contents, &mut report);
    classes::check(&contents, &extensions, &mut report);
    services::check(&contents, &extensions, &mut report);
    manifest::check(&contents, &mut report);
    defaults::check(&contents, &mut report);
    let names = archive.entries().iter().map(|entry| entry.name.as_str());
    report.warnings.extend(case_warnings(&case_clashes(names)));
    report
}

/// What to tell about pairs of names that some file systems cannot hold both; classes, which only tools unpack, apart.
pub(crate) fn case_warnings(clashes: &[(&str, &str)]) -> Vec<String> {
    let is_class = |name: &str| name.ends_with(paths::CLASS_SUFFIX) || masked_suffix(name, &[]).is_some();
    let (classes, files): (Vec<_>, Vec<_>) =
        clashes.iter().copied().partition(|(first, second)| is_class(first) && is_class(second));
    let mut warnings = Vec::new();
    for (what, pairs) in [("files", files), ("classes", classes)] {
        let shown: Vec<String> =
            pairs.iter().take(SAMPLES).map(|(first, second)| format!("`{first}` and `{second}`")).collect();
        if !shown.is_empty() {
            let more = pairs.len() - shown.len();
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            warnings.push(format!(
                "where case is ignored, as on some disks, the jar cannot be unpacked: {what} clash: {}{more}",
                shown.join(", ")
            ));
        }
    }
    warnings
}

/// Warns where the jar has another name than its manifest says.
fn check_name(path: &Path, archive: &Archive, report: &mut Report) {
    let Ok(Some(manifest)) = contents::manifest(archive) else { return };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(expected) = manifest.main.get(manifests::manifest::attribute::BOOT_CLASS_PATH) else { return };
    // Other agents have no Loader that looks at it.
    if expected != name && archive.contains(paths::LOADER_CLASS) {
        report.warnings.push(format!(
            "the jar is called `{name}`, but its `Boot-Class-Path` says `{expected}`: the JVM will not find its bootstrap \
             classes by itself, so the agent appends its own jar and prints one line at each start"
        ));
    }
}

fn print(path: &Path, report: &Report, printer: &Printer) {
    for failure in &report.failures {
        printer.text(&format!("{}: {}", failure.kind.heading(), failure.count));
        for sample in &failure.samples {
            printer.text(&format!("  {sample}"));
        }
        if failure.count > failure.samples.len() {
            printer.text(&format!("  and {} more", failure.count - failure.samples.len()));
        }
    }
    for (section, classes) in &report.sections {
        printer.text(&format!("section {section}: {classes} classes"));
    }
    if report.failures.is_empty() {
        printer.text(&format!("{}: {} entries verified", path.display(), report.entries));
    }
    let failures = report.failures.iter().map(|failure| {
        json!({
            "kind": failure.kind.name(),
            "heading": failure.kind.heading(),
            "count": failure.count,
            "samples": failure.samples,
        })
    });
    let mut fields = Map::new();
    fields.insert("path".into(), path.display().to_string().into());
    fields.insert("ok".into(), report.failures.is_empty().into());
    fields.insert("entries".into(), report.entries.into());
    fields.insert("failures".into(), Value::Array(failures.collect()));
    fields.insert("warnings".into(), json!(report.warnings));
    if !report.sections.is_empty() {
        fields.insert("sections".into(), json!(report.sections));
    }
    printer.json("verify", fields);
}
