//! Names that a file system without case cannot hold together. Hadoop and others unpack jars on such disks.

use std::collections::{BTreeMap, BTreeSet};

use super::licences::is_licence;
use crate::paths::CLASS_SUFFIX;
use crate::printer::Printer;

/// Finds new names for licence texts that another path would collide with if case did not count, and warns about any
/// other such file and folder. `paths` are sorted; the result holds old and new names.
pub(super) fn resolve(paths: &[&str], printer: &Printer) -> BTreeMap<String, String> {
    let mut folders: BTreeMap<String, &str> = BTreeMap::new();
    let mut last = "";
    for path in paths {
        let parent = path.rfind('/').map_or("", |slash| &path[..slash]);
        if parent == last {
            continue;
        }
        last = parent;
        let mut folder = parent;
        while !folder.is_empty() && !folders.contains_key(&folder.to_lowercase()) {
            folders.insert(folder.to_lowercase(), folder);
            folder = folder.rfind('/').map_or("", |slash| &folder[..slash]);
        }
    }
    // Two classes may differ in case only: class loaders read them from the jar.
    let others: Vec<&str> =
        paths.iter().copied().filter(|path| !path.ends_with(CLASS_SUFFIX) && !path.ends_with('/')).collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut clashing = Vec::new();
    for path in &others {
        let lower = path.to_lowercase();
        if let Some(folder) = folders.get(&lower).filter(|folder| **folder != *path) {
            clashing.push((*path, *folder));
        } else if !taken.insert(lower)
            && let Some(other) = others.iter().find(|other| *other != path && other.eq_ignore_ascii_case(path))
        {
            clashing.push((*path, *other));
        }
    }
    let mut renamed = BTreeMap::new();
    for (path, other) in clashing {
        if !is_licence(path) {
            printer.warning(&format!(
                "`{path}` and `{other}` are the same on a file system that ignores case, so the jar cannot be unpacked there"
            ));
            continue;
        }
        let free = |name: &String| {
            let lower = name.to_lowercase();
            !folders.contains_key(&lower) && !taken.contains(&lower)
        };
        if let Some(new) = candidates(path).find(free) {
            taken.insert(new.to_lowercase());
            printer.status(
                "Renamed",
                &format!("`{path}` to `{new}`: where case does not count it collides with `{other}`"),
            );
            renamed.insert(path.to_owned(), new);
        }
    }
    renamed
}

/// Names that resemble `path`, the nearest first.
fn candidates(path: &str) -> impl Iterator<Item = String> {
    let (stem, extension) = match path.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => (stem, extension),
        _ => (path, "txt"),
    };
    let plain = format!("{stem}.{extension}");
    std::iter::once(plain).chain((1_u32..).map(move |number| format!("{stem}-{number}.{extension}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(paths: &[&str]) -> Vec<(String, String)> {
        let mut paths = paths.to_vec();
        paths.sort_unstable();
        resolve(&paths, &Printer { quiet: true, ..Printer::default() }).into_iter().collect()
    }

    fn renamed(old: &str, new: &str) -> Vec<(String, String)> {
        vec![(old.to_owned(), new.to_owned())]
    }

    #[test]
    fn licence_texts_give_way() {
        let folder = "META-INF/license/N.txt";
        assert_eq!(resolved(&["META-INF/LICENSE", folder]), renamed("META-INF/LICENSE", "META-INF/LICENSE.txt"));
        assert_eq!(
            resolved(&["META-INF/LICENSE", "META-INF/license.txt", folder]),
            renamed("META-INF/LICENSE", "META-INF/LICENSE-1.txt")
        );
        assert_eq!(
            resolved(&["META-INF/NOTICE.txt", "META-INF/notice.TXT"]),
            renamed("META-INF/notice.TXT", "META-INF/notice-1.TXT")
        );
    }

    #[test]
    fn everything_else_keeps_its_name() {
        assert_eq!(resolved(&["a/readme", "a/README/x", "a/b.class", "a/B.class", "a/c", "a/c/"]), []);
    }
}
