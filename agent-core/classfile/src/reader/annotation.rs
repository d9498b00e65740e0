//! Annotations of classes, members and parameters.

use super::{Attribute, Attributes, ConstantPool};
use crate::bytes::Cursor;
use crate::{Error, mutf8};

/// Annotations within annotations deeper than this are refused, so that no file can exhaust the stack.
const MAX_DEPTH: u64 = 64;

/// One annotation as written in the class: elements left at their default are absent.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// Descriptor of the annotation interface, for instance `Ljava/lang/Deprecated;`.
    pub type_descriptor: String,
    /// Whether reflection shows it at run time.
    pub visible: bool,
    /// Elements in file order.
    pub elements: Vec<(String, ElementValue)>,
}

impl Annotation {
    /// The element of that name, if it was written.
    pub fn element(&self, name: &str) -> Option<&ElementValue> {
        self.elements.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }
}

/// Value of an annotation element.
#[derive(Debug, Clone, PartialEq)]
pub enum ElementValue {
    /// A `boolean`.
    Boolean(bool),
    /// A `byte`.
    Byte(i8),
    /// A `char`, as its UTF-16 unit.
    Char(u16),
    /// A `short`.
    Short(i16),
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// A `float`.
    Float(f32),
    /// A `double`.
    Double(f64),
    /// A string; half a surrogate pair reads as U+FFFD.
    String(String),
    /// An enum constant.
    Enum {
        /// Descriptor of the enum.
        type_descriptor: String,
        /// Name of the constant.
        name: String,
    },
    /// A class literal, as its descriptor; `V` is `void.class`.
    Class(String),
    /// A nested annotation; visible if the outer one is.
    Annotation(Annotation),
    /// An array.
    Array(Vec<ElementValue>),
}

impl ElementValue {
    /// The text of a string element.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// An integral element (`byte`, `short`, `char`, `int` or `long`) as a number.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Byte(v) => Some(v.into()),
            Self::Char(v) => Some(v.into()),
            Self::Short(v) => Some(v.into()),
            Self::Int(v) => Some(v.into()),
            Self::Long(v) => Some(v),
            _ => None,
        }
    }

    /// A boolean element.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Boolean(value) = *self { Some(value) } else { None }
    }

    /// Name of an enum constant.
    pub fn as_enum(&self) -> Option<&str> {
        if let Self::Enum { name, .. } = self { Some(name) } else { None }
    }

    /// Descriptor of a class literal.
    pub fn as_class(&self) -> Option<&str> {
        if let Self::Class(descriptor) = self { Some(descriptor) } else { None }
    }

    /// A nested annotation.
    pub fn as_annotation(&self) -> Option<&Annotation> {
        if let Self::Annotation(annotation) = self { Some(annotation) } else { None }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[ElementValue]> {
        if let Self::Array(values) = self { Some(values) } else { None }
    }
}

/// Annotations among these attributes, visible ones first where the file has them first.
pub(super) fn of(pool: &ConstantPool<'_>, attributes: Attributes<'_>) -> Result<Vec<Annotation>, Error> {
    let mut out = Vec::new();
    for Attribute { name, data, offset } in attributes {
        let visible = match name {
            b"RuntimeVisibleAnnotations" => true,
            b"RuntimeInvisibleAnnotations" => false,
            _ => continue,
        };
        let mut reader = Reader { pool, cursor: Cursor::new(data, offset), visible };
        reader.list(&mut out)?;
    }
    Ok(out)
}

/// The same for parameters: `count` lists.
pub(super) fn of_parameters(
    pool: &ConstantPool<'_>,
    attributes: Attributes<'_>,
    count: usize,
) -> Result<Vec<Vec<Annotation>>, Error> {
    let mut out = vec![Vec::new(); count];
    for Attribute { name, data, offset } in attributes {
        let visible = match name {
            b"RuntimeVisibleParameterAnnotations" => true,
            b"RuntimeInvisibleParameterAnnotations" => false,
            _ => continue,
        };
        let mut reader = Reader { pool, cursor: Cursor::new(data, offset), visible };
        let written = usize::from(reader.cursor.u1()?);
        let Some(first) = count.checked_sub(written) else {
            let expected = "no more than the descriptor has";
            return Err(Error::Unexpected { what: "count of parameters", offset, expected, got: written as u64 });
        };
        for list in &mut out[first..] {
            reader.list(list)?;
        }
    }
    Ok(out)
}

struct Reader<'a, 'p> {
    pool: &'p ConstantPool<'p>,
    cursor: Cursor<'a>,
    visible: bool,
}

impl Reader<'_, '_> {
    fn list(&mut self, out: &mut Vec<Annotation>) -> Result<(), Error> {
        for _ in 0..self.cursor.u2()? {
            out.push(self.annotation(0)?);
        }
        Ok(())
    }

    fn text(&mut self) -> Result<String, Error> {
        let index = self.cursor.u2()?;
        Ok(mutf8::decode_lossy(self.pool.utf8(index)?)?.into_owned())
    }

    fn annotation(&mut self, depth: u64) -> Result<Annotation, Error> {
        let type_descriptor = self.text()?;
        let mut elements = Vec::new();
        for _ in 0..self.cursor.u2()? {
            elements.push((self.text()?, self.value(depth + 1)?));
        }
        Ok(Annotation { type_descriptor, visible: self.visible, elements })
    }

    fn value(&mut self, depth: u64) -> Result<ElementValue, Error> {
        let offset = self.cursor.offset();
        if depth > MAX_DEPTH {
            let expected = "at most 64 levels";
            return Err(Error::Unexpected { what: "depth of an annotation", offset, expected, got: depth });
        }
        let tag = self.cursor.u1()?;
        Ok(match tag {
            b'Z' => ElementValue::Boolean(self.int()? != 0),
            b'B' => ElementValue::Byte(self.int()? as i8),
            b'C' => ElementValue::Char(self.int()?.cast_unsigned() as u16),
            b'S' => ElementValue::Short(self.int()? as i16),
            b'I' => ElementValue::Int(self.int()?),
            b'J' => {
                let index = self.cursor.u2()?;
                ElementValue::Long(self.pool.long(index)?)
            }
            b'F' => {
                let index = self.cursor.u2()?;
                ElementValue::Float(self.pool.float(index)?)
            }
            b'D' => {
                let index = self.cursor.u2()?;
                ElementValue::Double(self.pool.double(index)?)
            }
            b's' => ElementValue::String(self.text()?),
            b'e' => ElementValue::Enum { type_descriptor: self.text()?, name: self.text()? },
            b'c' => ElementValue::Class(self.text()?),
            b'@' => ElementValue::Annotation(self.annotation(depth + 1)?),
            b'[' => {
                let mut values = Vec::new();
                for _ in 0..self.cursor.u2()? {
                    values.push(self.value(depth + 1)?);
                }
                ElementValue::Array(values)
            }
            _ => {
                let expected = "one of BCDFIJSZsec@[";
                return Err(Error::Unexpected { what: "tag of an element value", offset, expected, got: tag.into() });
            }
        })
    }

    fn int(&mut self) -> Result<i32, Error> {
        let index = self.cursor.u2()?;
        self.pool.integer(index)
    }
}
