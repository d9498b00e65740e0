//! The checksums that repositories keep beside each file.

use std::io::{self, Read};

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::artifact::Source;
use crate::digest::hex;
use crate::error::Result;

/// Ends of the names, weakest first: older clients know the first two only.
pub(crate) const ENDS: [&str; 4] = ["md5", "sha1", "sha256", "sha512"];

/// The checksums of one file in hexadecimal, in the order of [`ENDS`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checksums([String; 4]);

impl Checksums {
    /// Those of a file, read once.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn of(source: &Source) -> Result<Self> {
        let (mut md5, mut sha1, mut sha256, mut sha512) = (Md5::new(), Sha1::new(), Sha256::new(), Sha512::new());
        let mut reader = source.open()?;
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            let bytes = &buffer[..count];
            md5.update(bytes);
            sha1.update(bytes);
            sha256.update(bytes);
            sha512.update(bytes);
        }
        Ok(Self([hex(&md5.finalize()), hex(&sha1.finalize()), hex(&sha256.finalize()), hex(&sha512.finalize())]))
    }

    /// The SHA-256.
    pub(crate) fn sha256(&self) -> &str {
        &self.0[2]
    }

    /// Each with the end of its file's name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        ENDS.into_iter().zip(self.0.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digests() {
        // What `md5sum` and its kin print for `abc`.
        let checksums = Checksums::of(&Source::Bytes(b"abc".to_vec())).unwrap();
        let all: Vec<(&str, &str)> = checksums.iter().collect();
        assert_eq!(all[0], ("md5", "900150983cd24fb0d6963f7d28e17f72"));
        assert_eq!(all[1], ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"));
        assert_eq!(all[2], ("sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        assert_eq!(all[3].0, "sha512");
        assert!(all[3].1.starts_with("ddaf35a193617abacc417349ae204131") && all[3].1.len() == 128);
    }
}
