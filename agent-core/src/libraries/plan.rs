//! Which jars go where, in which order, and what is said about the others. Looks at files, and at nothing of the JVM.

use extensions::Host;
use manifests::arguments::AgentArguments;
use manifests::library::{self, LibraryAttributes};
use manifests::manifest::attribute;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// The arguments that this module reads, beside `trusted` and `btraceHome`, which ask for nothing by themselves.
pub(super) const ARGUMENTS: [&str; 3] = ["bootClassPath", "systemClassPath", "libs"];

/// Who finds the classes of a jar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Search {
    Boot,
    System,
}

impl Search {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Boot => "bootstrap",
            Self::System => "system",
        }
    }
}

/// A jar that can be appended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Library {
    pub(super) search: Search,
    pub(super) path: PathBuf,
    /// The file behind links, by which one jar is known under all its names.
    pub(super) real: PathBuf,
    /// Who asks for it, in messages.
    pub(super) origin: String,
}

/// `-Dbtrace.system.appendJar`: one jar for the system path, for those who cannot do without yet.
pub(super) struct Hatch {
    pub(super) jar: String,
    /// `btrace.allowExternalLibs`: it may lie outside `BTRACE_HOME`.
    pub(super) any_place: bool,
}

/// What asks for jars.
pub(super) struct Asked<'a> {
    pub(super) jar: &'a Path,
    pub(super) attributes: &'a LibraryAttributes,
    pub(super) arguments: &'a AgentArguments,
    pub(super) hatch: Option<&'a Hatch>,
    /// `BTRACE_HOME`, if it is known.
    pub(super) home: Option<PathBuf>,
}

/// What is to be done.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// In the order in which they are searched, those of the bootstrap path first.
    pub(super) libraries: Vec<Library>,
    /// What is to be logged.
    pub(super) lines: Vec<String>,
    /// Why the argument `libs` is refused.
    pub(super) refusal: Option<String>,
}

/// Reads all wishes. For each path: the list of the manifest as written, the profile by file name, then the argument.
pub(super) fn plan(asked: &Asked<'_>) -> Plan {
    let mut plan = Plan::default();
    let folder = asked.jar.parent().unwrap_or(Path::new(""));
    let root = folder.join(asked.attributes.root.as_deref().unwrap_or_default());
    let profile = asked.attributes.profile.as_deref().and_then(|name| plan.profile(asked, &root, name));
    let lists = [
        (Search::Boot, attribute::BTRACE_BOOT_LIBS, &asked.attributes.boot, "boot", "bootClassPath"),
        (Search::System, attribute::BTRACE_SYSTEM_LIBS, &asked.attributes.system, "system", "systemClassPath"),
    ];
    for (search, name, list, of_profile, argument) in lists {
        let origin = format!("{name} in {}", asked.jar.display());
        for entry in list {
            let places = library::places(&root, entry);
            let place = places.iter().find(|path| path.exists()).or(places.last());
            plan.add(search, entry, place.unwrap_or(&root), &origin);
        }
        for jar in profile.iter().flat_map(|profile| jars(&profile.join(of_profile))) {
            let origin = format!("{} in {}", attribute::BTRACE_LIBS_PROFILE, asked.jar.display());
            plan.add(search, &jar.display().to_string(), &jar, &origin);
        }
        let list = asked.arguments.get(argument).unwrap_or_default();
        for entry in Host::default().split_paths(list.as_ref()) {
            // Relative ones are the process's, as on any other command line.
            let path = std::path::absolute(&entry).unwrap_or_else(|_| entry.clone());
            plan.add(search, &entry.display().to_string(), &path, &format!("the argument {argument}"));
        }
    }
    if let Some(hatch) = asked.hatch {
        plan.hatch(asked, hatch);
    }
    if let Some(profile) = asked.arguments.get("libs") {
        plan.refusal = Some(format!(
            "libs={profile} is refused: profiles are removed, and nothing of `{profile}` is loaded; hint: make an extension of it with \
             `fatagent extension build`; until then -Dbtrace.system.appendJar=/path/lib.jar with the argument `trusted=true` takes \
             one jar"
        ));
    }
    plan
}

impl Plan {
    fn add(&mut self, search: Search, entry: &str, path: &Path, origin: &str) {
        match usable(path) {
            Ok(real) => {
                let path = path.to_owned();
                self.libraries.push(Library { search, path, real, origin: origin.to_owned() });
            }
            Err(why) => self.lines.push(format!(
                "`{entry}` of {origin} is skipped: {why}; hint: put the jar there, or take the entry out"
            )),
        }
    }

    /// The folder of a profile.
    fn profile(&mut self, asked: &Asked<'_>, root: &Path, name: &str) -> Option<PathBuf> {
        let folder = root.join(name);
        let why = if name.contains(['/', '\\']) || name == ".." {
            "it is no name of a folder".to_owned()
        } else if !folder.is_dir() {
            format!("there is no folder {}", folder.display())
        } else {
            return Some(folder);
        };
        self.lines.push(format!(
            "`{name}` of {} in {} is skipped: {why}; hint: put its jars into `boot` and `system` there",
            attribute::BTRACE_LIBS_PROFILE,
            asked.jar.display()
        ));
        None
    }

    fn hatch(&mut self, asked: &Asked<'_>, hatch: &Hatch) {
        const ORIGIN: &str = "-Dbtrace.system.appendJar";
        let path = Path::new(hatch.jar.trim());
        let refusal = if !asked.arguments.flag("trusted") {
            Some(
                "the argument `trusted=true` is missing; hint: give it to the agent, as -Dbtrace.trusted says nothing here"
                    .to_owned(),
            )
        } else if !path.is_absolute() {
            Some("its path is relative; hint: write all of it".to_owned())
        } else if !path.exists() && hatch.jar.contains([':', ';']) {
            Some("it names several jars; hint: name one, and make an extension of the others".to_owned())
        } else {
            None
        };
        if let Some(why) = refusal {
            self.lines.push(format!("`{}` of {ORIGIN} is refused: {why}", hatch.jar));
            return;
        }
        if let (Ok(real), false) = (usable(path), hatch.any_place) {
            match &asked.home {
                None => self.lines.push(format!(
                    "`{}` of {ORIGIN} is appended although it cannot be told whether it belongs to BTRACE_HOME, which is not set; \
                     hint: set it, or say -Dbtrace.allowExternalLibs=true",
                    hatch.jar
                )),
                // A home that is not there has no jar either.
                Some(home) if fs_err::canonicalize(home).is_ok_and(|home| real.starts_with(home)) => {}
                Some(home) => {
                    self.lines.push(format!(
                        "`{}` of {ORIGIN} is refused: it lies outside BTRACE_HOME, which is {}; hint: put it there, or say \
                         -Dbtrace.allowExternalLibs=true",
                        hatch.jar,
                        home.display()
                    ));
                    return;
                }
            }
        }
        self.add(Search::System, &hatch.jar, path, ORIGIN);
    }
}

/// The jars of a folder by name; a folder that is not there has none.
fn jars(folder: &Path) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let is_jar = |path: &PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("jar"));
    let mut jars: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_jar).collect();
    jars.sort();
    jars
}

/// The real path of a jar that can be searched, or why it cannot. While it loads agents, the JVM itself would take anything.
fn usable(path: &Path) -> Result<PathBuf, String> {
    let shown = path.display();
    if !path.exists() {
        return Err(format!("there is no file {shown}"));
    }
    if path.is_dir() {
        return Err(format!("{shown} is a folder, and only jars are taken"));
    }
    let file = File::open(path).map_err(|e| format!("{shown} cannot be read: {e}"))?;
    ZipArchive::new(BufReader::new(file)).map_err(|e| format!("{shown} is no jar: {e}"))?;
    fs_err::canonicalize(path).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests;
