//! Which parameters a probe class may ask for.

use classfile::ClassFile;

/// Whether a class names a parameter: `${name}` in a text, or a text constant that is the name, as `$("name")` has it. It may
/// have such a text for another reason.
pub fn uses_parameter(bytes: &[u8], name: &str) -> bool {
    let Ok(file) = ClassFile::parse(bytes) else { return false };
    let pool = file.pool();
    let filled = format!("${{{name}}}");
    (1..pool.len()).any(|index| {
        pool.string(index).is_ok_and(|text| text == name.as_bytes())
            || pool.utf8(index).is_ok_and(|text| holds(text, filled.as_bytes()))
    })
}

/// Whether some bytes hold others.
fn holds(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|part| part == wanted)
}
