//! Reads, relocates and weaves Java class files.
//!
//! The crate knows bytes only: no jars, no virtual machine, no I/O. It has six layers:
//! - [`reader`] looks at a class without copying it, and checks every index it follows;
//! - [`bytecode`] reads the instructions of methods, [`values`] the constants that reach their calls;
//! - [`weave`] inserts straight-line calls at the entry, the exits and the instructions of chosen methods and copies the rest byte for byte;
//! - [`edit`] rewrites the shape of a class that is trusted (types, access flags, static field reads);
//! - [`relocate`] moves classes to other packages;
//! - [`shim`] makes a class that stands in for another.
//!
//! No input makes any of them panic: what cannot be read is an [`Error`], what cannot be woven is a [`weave::Skip`].
//!
//! ```
//! use classfile::ClassFile;
//!
//! let error = ClassFile::parse(&[0xCA, 0xFE, 0xBA, 0xBE]).unwrap_err();
//! assert_eq!(error.to_string(), "class file ends too early at offset 4, bytes missing: 4");
//! ```

pub mod bytecode;
mod bytes;
mod code;
pub mod descriptor;
pub mod edit;
mod error;
pub mod mutf8;
pub mod reader;
pub mod relocate;
pub mod shim;
pub mod values;
pub mod weave;

pub use error::Error;
pub use reader::{Annotation, Attribute, ClassFile, ConstantPool, ElementValue, Member};

/// Access flags of classes, fields and methods, as the class-file format numbers them.
pub mod access {
    /// Visible everywhere.
    pub const PUBLIC: u16 = 0x0001;
    /// Visible in the class and its nest mates.
    pub const PRIVATE: u16 = 0x0002;
    /// Visible in the package and in subclasses.
    pub const PROTECTED: u16 = 0x0004;
    /// A member without an instance.
    pub const STATIC: u16 = 0x0008;
    /// Not to be overridden, subclassed or assigned.
    pub const FINAL: u16 = 0x0010;
    /// A method that holds its monitor while it runs.
    pub const SYNCHRONIZED: u16 = 0x0020;
    /// A method made by the compiler to bridge two descriptors.
    pub const BRIDGE: u16 = 0x0040;
    /// A method with a variable number of arguments.
    pub const VARARGS: u16 = 0x0080;
    /// A method without bytecode, implemented by a library.
    pub const NATIVE: u16 = 0x0100;
    /// The class is an interface.
    pub const INTERFACE: u16 = 0x0200;
    /// A class without instances or a method without a body.
    pub const ABSTRACT: u16 = 0x0400;
    /// Made by the compiler, absent from the source.
    pub const SYNTHETIC: u16 = 0x1000;
    /// The class is an annotation interface.
    pub const ANNOTATION: u16 = 0x2000;
    /// The class is an enum, or the field one of its constants.
    pub const ENUM: u16 = 0x4000;
    /// The class is a module descriptor.
    pub const MODULE: u16 = 0x8000;
}
