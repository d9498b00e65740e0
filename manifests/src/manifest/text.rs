//! Reading and writing the text form.

use super::attributes::is_name;
use super::{Attributes, Manifest, attribute};
use crate::Error;

/// Bytes of a line without its end. The specification means the end not to count: a name of 70 bytes, the longest it
/// allows, takes 72 with colon and space, and nothing of that may be split.
const LINE: usize = 72;

/// An attribute whose value may still go on.
struct Open {
    line: usize,
    name: String,
    value: Vec<u8>,
}

#[derive(Default)]
struct Reader {
    manifest: Manifest,
    /// Whether the next attribute begins a section.
    fresh: bool,
    open: Option<Open>,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Manifest, Error> {
    let mut reader = Reader::default();
    for (number, line) in lines(bytes).enumerate() {
        reader.line(number + 1, line)?;
    }
    reader.close()?;
    Ok(reader.manifest)
}

impl Reader {
    fn line(&mut self, number: usize, line: &[u8]) -> Result<(), Error> {
        match line {
            [] => {
                self.close()?;
                // A blank line ends the main section even when nothing precedes it: the JVM reads it so, and attributes
                // that it does not see must not count here either.
                self.fresh = true;
                Ok(())
            }
            [b' ', rest @ ..] => {
                let open = self.open.as_mut().ok_or(Error::ManifestContinuation { line: number })?;
                open.value.extend_from_slice(rest);
                Ok(())
            }
            _ => {
                self.close()?;
                let malformed = || Error::ManifestLine { line: number, text: shorten(line) };
                let colon = line.iter().position(|&byte| byte == b':').ok_or_else(malformed)?;
                let name = &line[..colon];
                if !is_name(name) {
                    return Err(Error::ManifestNameAt { line: number, name: shorten(name) });
                }
                let [b' ', value @ ..] = &line[colon + 1..] else { return Err(malformed()) };
                let name = String::from_utf8_lossy(name).into_owned();
                self.open = Some(Open { line: number, name, value: value.to_vec() });
                Ok(())
            }
        }
    }

    /// Takes over the attribute whose lines are complete.
    fn close(&mut self) -> Result<(), Error> {
        let Some(Open { line, name, value }) = self.open.take() else { return Ok(()) };
        let Ok(value) = String::from_utf8(value) else { return Err(Error::ManifestEncoding { line, name }) };
        if std::mem::take(&mut self.fresh) {
            if !name.eq_ignore_ascii_case(attribute::NAME) {
                return Err(Error::ManifestSection { line, name });
            }
            self.manifest.sections.push((value, Attributes::default()));
            return Ok(());
        }
        let attributes = match self.manifest.sections.last_mut() {
            Some((_, attributes)) => {
                // `Name` is kept apart from the others, so it does not show as a repetition below.
                if name.eq_ignore_ascii_case(attribute::NAME) {
                    return Err(Error::ManifestDuplicate { line, name });
                }
                attributes
            }
            None => &mut self.manifest.main,
        };
        if attributes.get(&name).is_some() {
            return Err(Error::ManifestDuplicate { line, name });
        }
        attributes.set(&name, &value)
    }
}

/// Splits at CR LF, CR or LF; an unfinished last line counts.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
        let line = &rest[..end];
        let skip = match &rest[end..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        rest = &rest[end + skip..];
        Some(line)
    })
}

pub(super) fn write(manifest: &Manifest) -> Vec<u8> {
    let mut out = Vec::new();
    write_attribute(
        &mut out,
        attribute::MANIFEST_VERSION,
        manifest.main.get(attribute::MANIFEST_VERSION).unwrap_or("1.0"),
    );
    for (name, value) in manifest.main.iter() {
        if !name.eq_ignore_ascii_case(attribute::MANIFEST_VERSION) {
            write_attribute(&mut out, name, value);
        }
    }
    out.extend_from_slice(b"\r\n");
    for (name, attributes) in &manifest.sections {
        write_attribute(&mut out, attribute::NAME, name);
        for (name, value) in attributes.iter() {
            write_attribute(&mut out, name, value);
        }
        out.extend_from_slice(b"\r\n");
    }
    out
}

fn write_attribute(out: &mut Vec<u8>, name: &str, value: &str) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    let mut used = name.len() + 2;
    let mut buffer = [0; 4];
    for character in value.chars() {
        let encoded = character.encode_utf8(&mut buffer).as_bytes();
        if used + encoded.len() > LINE {
            out.extend_from_slice(b"\r\n ");
            used = 1;
        }
        out.extend_from_slice(encoded);
        used += encoded.len();
    }
    out.extend_from_slice(b"\r\n");
}

/// A line for an error message: decoded as far as possible, at most 80 characters.
pub(crate) fn shorten(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
