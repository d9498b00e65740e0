//! Looks into one place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::bundle::{self, Bundle, Files};
use crate::cache::{Cache, Stamp};
use crate::place::Place;

/// The extensions in a place. What is there and is none is reported.
pub(crate) fn installed(place: &Place, cache: &mut Cache, reports: &mut Vec<String>) -> Vec<Bundle> {
    let path = &place.path;
    if !path.is_dir() {
        if path.is_file() {
            return one(path, &[], cache, reports);
        }
        if place.named {
            let hint = "hint: name a folder of extensions, or an extension's jar or zip";
            reports.push(format!("the place of extensions {} does not exist; {hint}", path.display()));
        }
        return Vec::new();
    }
    let children = match children(path) {
        Ok(children) => children,
        Err(error) => {
            reports.push(error.line());
            return Vec::new();
        }
    };
    let jars: Vec<PathBuf> =
        children.iter().filter(|child| has_end(child, ".jar") && child.is_file()).cloned().collect();
    let mut found = loose(path, &jars, cache, reports);
    for child in &children {
        if has_end(child, ".zip") || !has_end(child, ".jar") && child.is_dir() {
            found.extend(one(child, &[], cache, reports));
        }
    }
    found
}

/// Jars directly in a place.
fn loose(folder: &Path, jars: &[PathBuf], cache: &mut Cache, reports: &mut Vec<String>) -> Vec<Bundle> {
    if jars.is_empty() {
        return Vec::new();
    }
    // They depend on each other, so they are one record.
    one(folder, jars, cache, reports)
}

/// What one folder, zip or jar is. `jars` are those of a folder of extensions.
fn one(path: &Path, jars: &[PathBuf], cache: &mut Cache, reports: &mut Vec<String>) -> Vec<Bundle> {
    if let Some(known) = cache.get(path) {
        return known;
    }
    let mut stamps: Vec<Stamp> = Stamp::of(path).into_iter().collect();
    let found = if !jars.is_empty() {
        stamps.extend(jars.iter().filter_map(|jar| Stamp::of(jar)));
        bundle::of_jars(path, jars)
    } else if path.is_dir() {
        match children(path) {
            Ok(children) => {
                let jars: Vec<PathBuf> = children.into_iter().filter(|child| has_end(child, ".jar")).collect();
                stamps.extend(jars.iter().filter_map(|jar| Stamp::of(jar)));
                stamps.extend(Stamp::of(&path.join(bundle::PROPERTIES)));
                of_folder(path, &jars)
            }
            Err(error) => vec![Err(error)],
        }
    } else if has_end(path, ".zip") {
        vec![bundle::of_zip(path)]
    } else {
        let folder = path.parent().unwrap_or(Path::new(""));
        let beside = children(folder).unwrap_or_default();
        let mut jars = vec![path.to_owned()];
        jars.extend(beside.into_iter().filter(|jar| jar != path && has_end(jar, "-impl.jar")));
        stamps.extend(jars.iter().skip(1).filter_map(|jar| Stamp::of(jar)));
        let of_path = |found: &Result<Bundle, Error>| match found {
            Ok(bundle) => bundle.files.path() == path,
            Err(error) => error.to_string().contains(&path.display().to_string()),
        };
        bundle::of_jars(folder, &jars).into_iter().filter(of_path).collect()
    };
    let is_whole = found.iter().all(Result::is_ok);
    let mut bundles = Vec::new();
    for found in found {
        match found {
            Ok(bundle) => bundles.push(bundle),
            Err(error) => reports.push(error.line()),
        }
    }
    if is_whole {
        cache.put(path, stamps, bundles.clone());
    }
    bundles
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

/// What is in a folder, sorted, without hidden files.
fn children(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut children = BTreeSet::new();
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            children.insert(entry.path());
        }
    }
    Ok(children.into_iter().collect())
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
        let jars: Vec<PathBuf> = children(path)?.into_iter().filter(|child| has_end(child, ".jar")).collect();
        if let [Ok(bundle)] = &of_folder(path, &jars)[..]
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
