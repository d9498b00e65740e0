//! SHA-256 of contents, and the build id over a whole jar.

use std::fmt;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::Result;

/// A SHA-256, shown as 64 lowercase hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256Hex([u8; 32]);

impl Sha256Hex {
    /// The SHA-256 of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The SHA-256 of the file at `path`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of_file(path: &Path) -> Result<Self> {
        Ok(Self::of_reader(&mut fs_err::File::open(path)?)?)
    }

    /// The SHA-256 of all that `reader` gives.
    ///
    /// # Errors
    /// The reader fails.
    pub fn of_reader(reader: &mut (impl Read + ?Sized)) -> io::Result<Self> {
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(Self(hasher.finalize().into())),
                Ok(count) => hasher.update(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Sha256Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The CRC-32 of `bytes`, as zips have it.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Passes bytes on and hashes them.
pub(crate) struct HashingWriter<W> {
    inner: W,
    hasher: Sha256,
}

impl<W: Write> HashingWriter<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, hasher: Sha256::new() }
    }

    /// The SHA-256 of everything that was written.
    pub(crate) fn finish(self) -> Sha256Hex {
        Sha256Hex(self.hasher.finalize().into())
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Hexadecimal digits of a build id: 128 bits, enough to tell any two builds apart.
const BUILD_ID_DIGITS: usize = 32;

/// The build id of a jar: over its main attributes in order, then over its files in the order given.
///
/// The caller leaves out the build id attribute itself, folder entries, the manifest and signature files, and gives the
/// files sorted by path.
pub(crate) fn build_id<'a>(
    attributes: impl Iterator<Item = (&'a str, &'a str)>,
    files: impl Iterator<Item = (&'a str, Sha256Hex)>,
) -> String {
    let mut hasher = Sha256::new();
    for (name, value) in attributes {
        hasher.update(format!("{name}: {value}\n"));
    }
    hasher.update(b"\n");
    for (path, sha256) in files {
        hasher.update(path.as_bytes());
        hasher.update([0]);
        hasher.update(sha256.as_bytes());
    }
    hex(&hasher.finalize()[..BUILD_ID_DIGITS / 2])
}

/// Bytes as lowercase hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digests() {
        let empty = Sha256Hex::of(b"");
        assert_eq!(empty.to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs_err::write(&path, vec![7; 200_000]).unwrap();
        assert_eq!(Sha256Hex::of_file(&path).unwrap(), Sha256Hex::of(&vec![7; 200_000]));
    }

    #[test]
    fn the_build_id_is_the_documented_hash() {
        let file = Sha256Hex::of(b"hello");
        let mut plain = b"A: 1\nB: 2\n\nx/y\0".to_vec();
        plain.extend_from_slice(file.as_bytes());
        let id = build_id([("A", "1"), ("B", "2")].into_iter(), [("x/y", file)].into_iter());
        assert_eq!(id, Sha256Hex::of(&plain).to_string()[..32]);
        let moved = build_id([("B", "2"), ("A", "1")].into_iter(), [("x/y", file)].into_iter());
        assert_ne!(id, moved);
    }
}
