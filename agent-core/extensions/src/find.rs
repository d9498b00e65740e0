//! Looks into one place.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::bundle::{self, Bundle, Files};
use crate::cache::{Cache, Stamp};
use crate::place::Place;

/// Below so many files, threads cost more than they save.
const FEW: usize = 8;
/// More threads would be in the way of an application that starts.
const MOST: usize = 4;

/// One record of the cache: a folder, zip or jar, or all jars that lie in a place.
struct Unit {
    path: PathBuf,
    /// The jars, where they lie in a place.
    loose: Vec<PathBuf>,
}

/// What reading a unit gave, and the states from before.
type Read = (Vec<Stamp>, Vec<Result<Bundle, Error>>);

/// The extensions in a place. What is there and is none is reported.
pub(crate) fn installed(place: &Place, cache: &mut Cache, reports: &mut Vec<String>) -> Vec<Bundle> {
    let path = &place.path;
    let mut units = Vec::new();
    if path.is_dir() {
        match children(path) {
            Ok(children) => units = units_of(path, children),
            Err(error) => reports.push(error.line()),
        }
    } else if path.is_file() {
        units.push(Unit { path: path.clone(), loose: Vec::new() });
    } else if place.named {
        let hint = "hint: name a folder of extensions, or an extension's jar or zip";
        reports.push(format!("the place of extensions {} does not exist; {hint}", path.display()));
    }
    let known: Vec<Option<Vec<Bundle>>> = units.iter().map(|unit| cache.get(&unit.path)).collect();
    let unknown: Vec<&Unit> =
        units.iter().zip(&known).filter_map(|(unit, known)| known.is_none().then_some(unit)).collect();
    let mut read = read_all(&unknown).into_iter();
    let mut all = Vec::new();
    for (unit, known) in units.iter().zip(known) {
        if let Some(known) = known {
            all.extend(known);
            continue;
        }
        let Some((stamps, found)) = read.next() else { continue };
        let is_whole = found.iter().all(Result::is_ok);
        let mut bundles = Vec::new();
        for found in found {
            match found {
                Ok(bundle) => bundles.push(bundle),
                Err(error) => reports.push(error.line()),
            }
        }
        if is_whole {
            cache.put(&unit.path, stamps, &bundles);
        }
        all.extend(bundles);
    }
    all
}

/// What there is to look at in a place: all its jars at once, since they depend on each other, and each folder and zip.
fn units_of(place: &Path, children: Vec<Child>) -> Vec<Unit> {
    let (mut loose, mut units) = (Vec::new(), Vec::new());
    for Child { path, is_dir } in children {
        if has_end(&path, ".jar") {
            if !is_dir {
                loose.push(path);
            }
        } else if is_dir || has_end(&path, ".zip") {
            units.push(Unit { path, loose: Vec::new() });
        }
    }
    if !loose.is_empty() {
        units.insert(0, Unit { path: place.to_owned(), loose });
    }
    units
}

/// Reads units, several at a time where there are many.
fn read_all(units: &[&Unit]) -> Vec<Read> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST);
    if units.len() < FEW || threads == 1 {
        return units.iter().map(|unit| read(unit)).collect();
    }
    let parts = units.chunks(units.len().div_ceil(threads));
    std::thread::scope(|scope| {
        let running: Vec<_> = parts
            .map(|part| {
                let work = || part.iter().map(|unit| read(unit)).collect::<Vec<_>>();
                (part, std::thread::Builder::new().name("fatagent-extensions".to_owned()).spawn_scoped(scope, work))
            })
            .collect();
        let done = running.into_iter().map(|(part, thread)| {
            // Where there is no thread to be had, or one died of a defect of ours, this one does its work.
            let done = thread.ok().and_then(|thread| thread.join().ok());
            done.unwrap_or_else(|| part.iter().map(|unit| read(unit)).collect())
        });
        done.flatten().collect()
    })
}

/// What one unit is.
fn read(Unit { path, loose }: &Unit) -> Read {
    let mut stamps: Vec<Stamp> = Stamp::of(path).into_iter().collect();
    let found = if !loose.is_empty() {
        stamps.extend(loose.iter().filter_map(|jar| Stamp::of(jar)));
        bundle::of_jars(path, loose)
    } else if has_end(path, ".zip") {
        vec![bundle::of_zip(path)]
    } else if path.is_dir() {
        match jars_in(path) {
            Ok(jars) => {
                stamps.extend(jars.iter().filter_map(|jar| Stamp::of(jar)));
                stamps.extend(Stamp::of(&path.join(bundle::PROPERTIES)));
                of_folder(path, &jars)
            }
            Err(error) => vec![Err(error)],
        }
    } else {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut jars = vec![path.clone()];
        let beside = jars_in(folder).unwrap_or_default().into_iter();
        jars.extend(beside.filter(|jar| jar != path && has_end(jar, "-impl.jar")));
        stamps.extend(jars.iter().skip(1).filter_map(|jar| Stamp::of(jar)));
        bundle::of_jars(folder, &jars).into_iter().filter(|found| is_about(found, path)).collect()
    };
    (stamps, found)
}

/// Whether it was this jar that was asked for, and not one beside it.
fn is_about(found: &Result<Bundle, Error>, path: &Path) -> bool {
    match found {
        Ok(bundle) => bundle.files.path() == path,
        Err(error) => error.to_string().contains(&path.display().to_string()),
    }
}

/// A folder that is one extension. Other jars in it are its business.
fn of_folder(path: &Path, jars: &[PathBuf]) -> Vec<Result<Bundle, Error>> {
    if jars.is_empty() {
        return Vec::new();
    }
    let found = bundle::of_jars(path, jars);
    let is_there = found.iter().any(Result::is_ok);
    found.into_iter().filter(|found| !is_there || !matches!(found, Err(Error::NotAnExtension { .. }))).collect()
}

/// Something in a folder.
struct Child {
    path: PathBuf,
    is_dir: bool,
}

/// What is in a folder, sorted, without hidden files.
fn children(folder: &Path) -> Result<Vec<Child>, Error> {
    let mut children = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = entry.path();
        // A link is what it leads to.
        let is_dir = match entry.file_type() {
            Ok(kind) if !kind.is_symlink() => kind.is_dir(),
            _ => path.is_dir(),
        };
        children.push(Child { path, is_dir });
    }
    // By bytes: comparing paths part by part costs more than reading the folder.
    children.sort_unstable_by(|one, other| one.path.as_os_str().cmp(other.path.as_os_str()));
    Ok(children)
}

/// The jars in a folder, sorted.
fn jars_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let jars = children(folder)?.into_iter().filter(|child| !child.is_dir && has_end(&child.path, ".jar"));
    Ok(jars.map(|child| child.path).collect())
}

/// Whether the name of a file ends so.
pub(crate) fn has_end(path: &Path, end: &str) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(end.as_bytes()))
}

/// What is at a path that somebody names: an extension's folder, zip or jar, or a folder of extensions.
///
/// # Errors
/// Nothing there is an extension.
pub fn at(path: &Path) -> Result<Vec<Bundle>, Error> {
    let (mut cache, mut reports) = (Cache::default(), Vec::new());
    if path.is_dir() {
        if let [Ok(bundle)] = &of_folder(path, &jars_in(path)?)[..]
            && matches!(bundle.files, Files::Pair { .. })
        {
            return Ok(vec![bundle.clone()]);
        }
    } else if has_end(path, ".zip") {
        return Ok(vec![bundle::of_zip(path)?]);
    }
    let place = Place { kind: crate::Kind::Argument, path: path.to_owned(), named: true };
    let found = installed(&place, &mut cache, &mut reports);
    match reports.into_iter().next() {
        Some(reason) if found.is_empty() => Err(Error::NotAnExtension { origin: path.display().to_string(), reason }),
        _ if found.is_empty() => {
            Err(Error::NotAnExtension { origin: path.display().to_string(), reason: "there is none in it".to_owned() })
        }
        _ => Ok(found),
    }
}
