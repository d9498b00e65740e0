//! Tarballs with nothing of this machine or this moment in them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};

/// 1980-01-01, the time of entries in our jars, too.
const TIME: u64 = 315_532_800;
/// The file with the checksums of all others.
pub(crate) const SUMS: &str = "SHA256SUMS";

/// What a path is.
pub(crate) enum Entry {
    File(Vec<u8>),
    /// A file that can be run.
    Program(Vec<u8>),
    /// A symbolic link beside its target.
    Link(&'static str),
}

/// The files of a tarball by path below its root.
pub(crate) type Entries = BTreeMap<String, Entry>;

/// Adds the file of checksums, in the form of `sha256sum`.
pub(crate) fn add_sums(entries: &mut Entries) {
    let mut text = String::new();
    for (path, entry) in entries.iter() {
        if let Entry::File(bytes) | Entry::Program(bytes) = entry {
            let _ = writeln!(text, "{}  {path}", sha256(bytes));
        }
    }
    entries.insert(SUMS.to_owned(), Entry::File(text.into_bytes()));
}

/// The bytes of the tarball: all paths below the folder `root`, sorted.
pub(crate) fn pack(root: &str, entries: &Entries) -> Result<Vec<u8>> {
    // Neither name nor time; 255 is an unknown system.
    let gzip = GzBuilder::new().operating_system(255).write(Vec::new(), Compression::best());
    let mut tar = Builder::new(gzip);
    let mut folders = std::collections::BTreeSet::new();
    for (path, entry) in entries {
        let path = format!("{root}/{path}");
        for (end, _) in path.match_indices('/') {
            if folders.insert(path[..=end].to_owned()) {
                tar.append_data(&mut header(EntryType::Directory, 0o755, 0), &path[..=end], &[][..])?;
            }
        }
        match entry {
            Entry::File(bytes) => append(&mut tar, &path, 0o644, bytes)?,
            Entry::Program(bytes) => append(&mut tar, &path, 0o755, bytes)?,
            Entry::Link(target) => tar.append_link(&mut header(EntryType::Symlink, 0o777, 0), &path, target)?,
        }
    }
    Ok(tar.into_inner().context("cannot end the tarball")?.finish()?)
}

/// Writes a file with its checksum beside it, as `sha256sum --check` reads it.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<String> {
    let name = path.file_name().and_then(|name| name.to_str()).context("a tarball without a name")?;
    let hash = sha256(bytes);
    fs_err::create_dir_all(path.parent().context("a tarball without a folder")?)?;
    fs_err::write(path, bytes)?;
    fs_err::write(path.with_file_name(format!("{name}.sha256")), format!("{hash}  {name}\n"))?;
    Ok(hash)
}

fn append<W: std::io::Write>(tar: &mut Builder<W>, path: &str, mode: u32, bytes: &[u8]) -> Result<()> {
    Ok(tar.append_data(&mut header(EntryType::Regular, mode, bytes.len() as u64), path, bytes)?)
}

fn header(kind: EntryType, mode: u32, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(TIME);
    header.set_uid(0);
    header.set_gid(0);
    header
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tarballs_are_sorted_and_anonymous() {
        let mut entries = Entries::new();
        entries.insert("bin/b".to_owned(), Entry::Link("a"));
        entries.insert("bin/a".to_owned(), Entry::Program(b"abc".to_vec()));
        entries.insert("README".to_owned(), Entry::File(Vec::new()));
        add_sums(&mut entries);
        let bytes = pack("root", &entries).unwrap();
        assert_eq!(bytes, pack("root", &entries).unwrap());
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
        let mut listing = Vec::new();
        for entry in archive.entries().unwrap() {
            let entry = entry.unwrap();
            let header = entry.header();
            assert_eq!((header.uid().unwrap(), header.gid().unwrap(), header.mtime().unwrap()), (0, 0, TIME));
            let path = entry.path().unwrap().display().to_string();
            listing.push(format!("{:o} {path}", header.mode().unwrap()));
        }
        let expected = [
            "755 root/",
            "644 root/README",
            "644 root/SHA256SUMS",
            "755 root/bin/",
            "755 root/bin/a",
            "777 root/bin/b",
        ];
        assert_eq!(listing, expected);
        let Some(Entry::File(sums)) = entries.get(SUMS) else { panic!("no checksums") };
        // What `sha256sum` prints for `abc`.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  bin/a\n";
        assert!(String::from_utf8_lossy(sums).ends_with(abc) && sums.len() == 2 * 64 + "  README\n  bin/a\n".len());
    }
}
