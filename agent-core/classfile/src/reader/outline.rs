//! What readers of very many classes want, noted while a class is read, so that nothing is walked a second time.

use super::{ClassFile, ConstantPool, pool};
use crate::Error;
use crate::bytes::Cursor;

/// Class constants and methods, of as many classes as are read into it.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// Indexes of the class constants.
    pub classes: Vec<u16>,
    /// Methods in file order.
    pub methods: Vec<MethodSpan>,
}

/// Where a method lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodSpan {
    /// Access flags, see [`crate::access`].
    pub access: u16,
    /// Index of the text of its name.
    pub name: u16,
    /// Index of the text of its descriptor.
    pub descriptor: u16,
    /// Offset of the contents of its `Code` attribute in the class file; 0 if it has none.
    pub code: u32,
    /// Their length.
    pub length: u32,
}

impl<'a> ClassFile<'a> {
    /// As [`ClassFile::parse`], and appends the class's constants and methods to `outline`.
    ///
    /// # Errors
    /// As [`ClassFile::parse`]; `outline` then holds a part.
    pub fn parse_into(bytes: &'a [u8], outline: &mut Outline) -> Result<Self, Error> {
        let Outline { classes, methods } = outline;
        Self::read(bytes, &mut |index| classes.push(index), &mut |method| methods.push(method))
    }
}

/// Checks the methods, and hands each to `note`.
#[inline]
pub(super) fn check_methods(
    texts: &ConstantPool<'_>,
    cursor: &mut Cursor<'_>,
    note: &mut impl FnMut(MethodSpan),
) -> Result<(), Error> {
    // The index of the text `Code`.
    let mut known = 0;
    for _ in 0..cursor.u2()? {
        let access = cursor.u2()?;
        let (name, descriptor) = (cursor.u2()?, cursor.u2()?);
        texts.check_utf8(name)?;
        texts.check_utf8(descriptor)?;
        let mut method = MethodSpan { access, name, descriptor, code: 0, length: 0 };
        for _ in 0..cursor.u2()? {
            let attribute = cursor.u2()?;
            let is_code = attribute == known || texts.utf8(attribute)? == b"Code";
            let length = cursor.u4()?;
            let offset = cursor.offset();
            cursor.skip(length as usize)?;
            if is_code && method.code == 0 {
                known = attribute;
                method.code = u32::try_from(offset).map_err(|_| pool::too_large(offset))?;
                method.length = length;
            }
        }
        note(method);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_is_what_the_members_tell() {
        let folder = tempfile::tempdir().unwrap();
        let source = "abstract class A implements Runnable { int f; abstract void a(); native int n(); \
                      public void run() { new Thread(this); } }";
        fixtures::javac(&[("A.java", source)], &[], folder.path()).unwrap();
        let bytes = fs_err::read(folder.path().join("A.class")).unwrap();
        let mut outline = Outline::default();
        let file = ClassFile::parse_into(&bytes, &mut outline).unwrap();
        let pool = file.pool();
        assert_eq!(outline.methods.len(), 4);
        for (span, member) in outline.methods.iter().zip(file.methods()) {
            assert_eq!(
                (span.access, pool.utf8(span.name), pool.utf8(span.descriptor)),
                (member.access, Ok(member.name), Ok(member.descriptor))
            );
            let code = member.attribute("Code").map_or((0, 0), |code| (code.offset as u32, code.data.len() as u32));
            assert_eq!((span.code, span.length), code);
        }
        let all: Vec<u16> = (1..pool.len()).filter(|&index| pool.class_name(index).is_ok()).collect();
        assert_eq!(outline.classes, all);
        let names: Vec<_> = file.super_indexes().map(|index| pool.class_name(index).unwrap()).collect();
        assert_eq!(names, [&b"java/lang/Object"[..], b"java/lang/Runnable"]);
        assert_eq!(pool.class_name(file.this_index()), Ok(&b"A"[..]));
    }
}
