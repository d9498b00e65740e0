//! Renames types: wherever a text constant names them, and nowhere else.

use super::references::{self, Role};
use crate::Error;
use crate::code::pool::PoolEditor;
use crate::reader::ClassFile;

/// Gives the new internal name of a type, if it is renamed.
type Map<'m> = &'m dyn Fn(&[u8]) -> Option<Vec<u8>>;

/// The class with its types renamed. A renamed text becomes a new constant, so string literals that look like it stay.
pub(super) fn rename(class: &[u8], map: Map<'_>) -> Result<Vec<u8>, Error> {
    let class = ClassFile::parse(class)?;
    let mut places = Vec::new();
    references::visit(&class, &mut |role, at| places.push((role, at)))?;
    let mut pool = PoolEditor::new(&class);
    let mut bytes = class.bytes().to_vec();
    let mut changed = false;
    for (role, at) in places {
        let text = references::text(&class, at)?;
        let new = match role {
            Role::Class if text.first() != Some(&b'[') => map(text),
            Role::Class | Role::Descriptor => rename_descriptor(text, map),
            Role::Signature => rename_signature(text, map),
        };
        if let Some(new) = new {
            let index = pool.raw_utf8(&new)?;
            bytes[at..at + 2].copy_from_slice(&index.to_be_bytes());
            changed = true;
        }
    }
    if !changed {
        return Ok(bytes);
    }
    let end = class.pool().end();
    let mut out = Vec::with_capacity(bytes.len() + pool.extra_len());
    pool.write_head_of(&bytes, end, &mut out);
    out.extend_from_slice(&bytes[end..]);
    Ok(out)
}

/// Reads names that begin at `at` and end before one of `ends`.
fn name<'t>(text: &'t [u8], at: usize, ends: &[u8]) -> &'t [u8] {
    let length = text[at..].iter().position(|b| ends.contains(b)).unwrap_or(text.len() - at);
    &text[at..at + length]
}

/// The descriptor with its types renamed; `None` if none is.
fn rename_descriptor(text: &[u8], map: Map<'_>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut changed = false;
    let mut at = 0;
    while at < text.len() {
        out.push(text[at]);
        at += 1;
        if text[at - 1] == b'L' {
            let old = name(text, at, b";");
            put(&mut out, old, map, &mut changed);
            at += old.len();
        }
    }
    changed.then_some(out)
}

/// The same for a generic signature.
fn rename_signature(text: &[u8], map: Map<'_>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut changed = false;
    let mut at = 0;
    // Type parameters come first and have bare names, each followed by a colon; bounds are types like any other.
    let mut expects_parameter = text.first() == Some(&b'<');
    let mut depth = 0;
    while at < text.len() {
        let byte = text[at];
        out.push(byte);
        at += 1;
        let copied = match byte {
            b'L' => {
                let old = name(text, at, b";<.");
                put(&mut out, old, map, &mut changed);
                at += old.len();
                continue;
            }
            b'T' | b'.' => name(text, at, b";<."),
            b'<' => {
                depth += 1;
                if expects_parameter && depth == 1 { name(text, at, b":>") } else { b"" }
            }
            b'>' => {
                depth -= 1;
                // The list of type parameters is over, and there is only one.
                expects_parameter &= depth > 0;
                b""
            }
            // Behind a bound, either another bound or another parameter.
            b';' if expects_parameter && depth == 1 && !matches!(text.get(at), Some(b':' | b'>')) => {
                name(text, at, b":>")
            }
            _ => b"",
        };
        out.extend_from_slice(copied);
        at += copied.len();
    }
    changed.then_some(out)
}

fn put(out: &mut Vec<u8>, old: &[u8], map: Map<'_>, changed: &mut bool) {
    if let Some(new) = map(old) {
        out.extend_from_slice(&new);
        *changed = true;
    } else {
        out.extend_from_slice(old);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(name: &[u8]) -> Option<Vec<u8>> {
        (name == b"a/Any").then(|| b"java/lang/Object".to_vec())
    }

    fn text(bytes: Option<Vec<u8>>) -> Option<String> {
        bytes.map(|b| String::from_utf8(b).unwrap())
    }

    #[test]
    fn descriptors() {
        assert_eq!(
            text(rename_descriptor(b"(ILa/Any;[La/Any;La/Anyone;J)La/Any;", &map)).unwrap(),
            "(ILjava/lang/Object;[Ljava/lang/Object;La/Anyone;J)Ljava/lang/Object;"
        );
        assert_eq!(rename_descriptor(b"(LLa/Any;)V", &map), None);
        assert_eq!(rename_descriptor(b"(La/Any", &map), Some(b"(Ljava/lang/Object".to_vec()));
    }

    #[test]
    fn signatures() {
        for (old, new) in [
            ("TLa/Any;", None),
            ("<La/Any;", None),
            ("<T:La/Any;>(TT;)V", Some("<T:Ljava/lang/Object;>(TT;)V")),
            (
                "<LA:La/Any;LB::La/Any;:La/B;>La/Any;",
                Some("<LA:Ljava/lang/Object;LB::Ljava/lang/Object;:La/B;>Ljava/lang/Object;"),
            ),
            ("<T:La/B<La/Any;>;La:La/B;>V", Some("<T:La/B<Ljava/lang/Object;>;La:La/B;>V")),
            (
                "<La:TLb;Lb:La/B;>La/B<+La/Any;-[La/Any;*>.Any<La/Any;>;",
                Some("<La:TLb;Lb:La/B;>La/B<+Ljava/lang/Object;-[Ljava/lang/Object;*>.Any<Ljava/lang/Object;>;"),
            ),
            (
                "(Ljava/util/List<La/Any;>;I)V^La/Any;",
                Some("(Ljava/util/List<Ljava/lang/Object;>;I)V^Ljava/lang/Object;"),
            ),
        ] {
            assert_eq!(text(rename_signature(old.as_bytes(), &map)).as_deref(), new, "{old}");
        }
    }
}
