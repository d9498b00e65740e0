//! Whether a signed jar still is what was signed.
//!
//! Digests are compared: those of entries in the manifest, and that of the manifest in the signature file. The signature of
//! that file itself is not: whoever can replace it can also remove it, and nobody said whose signature is expected.

use std::borrow::Cow;
use std::io::{Read, Seek};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use manifests::manifest::{Attributes, Manifest};
use sha2::{Digest as _, Sha256, Sha384, Sha512};

use crate::Error;
use crate::jar::Jar;

const FOLDER: &str = "META-INF/";
const CLASS: &str = ".class";
const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// A digest in the form in which manifests have it.
type Digest = fn(&[u8]) -> String;

/// Digests that are compared, the strongest first.
const DIGESTS: [(&str, Digest); 3] = [
    ("SHA-512", |bytes| BASE64.encode(Sha512::digest(bytes))),
    ("SHA-384", |bytes| BASE64.encode(Sha384::digest(bytes))),
    ("SHA-256", |bytes| BASE64.encode(Sha256::digest(bytes))),
];

/// Whether an entry is the signature file of somebody.
pub(crate) fn is_signature_file(name: &str) -> bool {
    let inside = name.strip_prefix(FOLDER).filter(|rest| !rest.contains('/'));
    inside.is_some_and(|rest| rest.len() > 3 && rest[rest.len() - 3..].eq_ignore_ascii_case(".SF"))
}

/// Whether an entry is part of a signature, and so not signed itself.
fn is_unsigned(name: &str) -> bool {
    let inside = name.strip_prefix(FOLDER).filter(|rest| !rest.contains('/'));
    let ends = |rest: &str, end: &str| rest.to_ascii_uppercase().ends_with(end);
    name.ends_with('/')
        || inside.is_some_and(|rest| {
            rest.eq_ignore_ascii_case("MANIFEST.MF") || [".SF", ".RSA", ".DSA", ".EC"].iter().any(|end| ends(rest, end))
        })
}

/// What is wrong with the signature of a jar; nothing where it holds or there is none.
pub(crate) fn problem<R: Read + Seek>(jar: &mut Jar<R>) -> Result<Option<String>, Error> {
    let names: Vec<String> = jar.names().map(Cow::into_owned).collect();
    let files: Vec<&String> = names.iter().filter(|name| is_signature_file(name)).collect();
    if files.is_empty() {
        return Ok(None);
    }
    let bytes = jar.text(MANIFEST)?.unwrap_or_default();
    let manifest = jar.manifest()?;
    for file in files {
        let signed = jar.text(file)?.unwrap_or_default();
        let signed = match Manifest::parse(&signed) {
            Ok(signed) => signed,
            Err(e) => return Ok(Some(format!("`{file}` is malformed: {e}"))),
        };
        if let Some(why) = manifest_problem(&bytes, &signed, file) {
            return Ok(Some(why));
        }
    }
    for name in names.iter().filter(|name| !is_unsigned(name)) {
        let Some(attributes) = manifest.section(name) else {
            if name.ends_with(CLASS) {
                return Ok(Some(format!("`{name}` was not signed")));
            }
            continue;
        };
        let content = jar.bytes(name)?.unwrap_or_default();
        match matches(attributes, "-Digest", &content) {
            Some(true) => {}
            Some(false) => return Ok(Some(format!("`{name}` is not what was signed"))),
            None => return Ok(Some(format!("`{name}` was signed with digests that are not trusted any more"))),
        }
    }
    let absent = manifest.sections().iter().find(|(name, attributes)| {
        let is_digested = DIGESTS.iter().any(|(digest, _)| attributes.get(&format!("{digest}-Digest")).is_some());
        is_digested && !names.contains(name)
    });
    Ok(absent.map(|(name, _)| format!("`{name}` was signed and is gone")))
}

/// Whether the manifest is the one that a signature file speaks of: as a whole, or else each section that it names.
fn manifest_problem(bytes: &[u8], signed: &Manifest, file: &str) -> Option<String> {
    match matches(&signed.main, "-Digest-Manifest", bytes) {
        Some(true) => return None,
        Some(false) => {}
        None => return Some(format!("`{file}` has no digest of the manifest that is trusted")),
    }
    let sections = raw_sections(bytes);
    let main = sections.first().copied().unwrap_or_default();
    if matches(&signed.main, "-Digest-Manifest-Main-Attributes", main) == Some(false) {
        return Some("the manifest is not the one that was signed".to_owned());
    }
    let raw = |name: &str| {
        sections.iter().skip(1).find(|section| {
            Manifest::parse(&[b"Manifest-Version: 1.0\r\n\r\n".as_slice(), section].concat())
                .is_ok_and(|parsed| parsed.section(name).is_some())
        })
    };
    if signed.sections().is_empty() {
        return Some("the manifest is not the one that was signed".to_owned());
    }
    let changed = signed
        .sections()
        .iter()
        .find(|(name, attributes)| raw(name).and_then(|section| matches(attributes, "-Digest", section)) != Some(true));
    changed.map(|(name, _)| format!("what the manifest says of `{name}` is not what was signed"))
}

/// Whether the strongest digest among the attributes is that of `content`; nothing where there is none that we trust.
fn matches(attributes: &Attributes, suffix: &str, content: &[u8]) -> Option<bool> {
    let mut known =
        DIGESTS.iter().filter_map(|(name, digest)| Some((attributes.get(&format!("{name}{suffix}"))?, digest)));
    known.next().map(|(expected, digest)| expected == digest(content))
}

/// The sections of a manifest with the blank lines that end them.
fn raw_sections(bytes: &[u8]) -> Vec<&[u8]> {
    let mut sections = Vec::new();
    let (mut start, mut line) = (0, 0);
    let mut at = 0;
    while at < bytes.len() {
        let ended = match bytes[at] {
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
            b'\r' | b'\n' => 1,
            _ => 0,
        };
        if ended == 0 {
            at += 1;
            continue;
        }
        let is_blank = line == at;
        at += ended;
        line = at;
        if is_blank {
            // More blank lines belong to the section before them.
            at += bytes[at..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            line = at;
            sections.push(&bytes[start..at]);
            start = at;
        }
    }
    if start < bytes.len() {
        sections.push(&bytes[start..]);
    }
    sections
}
