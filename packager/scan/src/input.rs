//! Reads class files, each once: its structure, its methods, and numbers for the classes that it names.

use crate::names::Names;
use crate::{Class, Error};
use classfile::ClassFile;
use classfile::reader::{MethodSpan, Outline};
use rayon::prelude::*;

/// Classes that one task reads: enough for its table of names to pay off.
const CHUNK: usize = 512;

/// A class constant: its index, and the number of the name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named {
    pub(crate) constant: u16,
    pub(crate) name: u32,
}

/// Where the parts of a class end in the lists of its [`Part`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) methods: u32,
    pub(crate) named: u32,
}

/// Some classes. Numbers of names are those of the part.
#[derive(Debug)]
pub(crate) struct Part<'s> {
    pub(crate) files: Vec<ClassFile<'s>>,
    pub(crate) ends: Vec<Ends>,
    pub(crate) methods: Vec<MethodSpan>,
    pub(crate) named: Vec<Named>,
    pub(crate) names: Names<'s>,
}

/// Reads all classes, in their order.
pub(crate) fn read<'s>(classes: &[Class<'s>]) -> Result<Vec<Part<'s>>, Error> {
    classes.par_chunks(CHUNK).enumerate().map(|(chunk, classes)| part(classes, chunk * CHUNK)).collect()
}

fn part<'s>(classes: &[Class<'s>], first: usize) -> Result<Part<'s>, Error> {
    let mut outline = Outline::default();
    let mut part = Part {
        files: Vec::with_capacity(classes.len()),
        ends: Vec::with_capacity(classes.len()),
        methods: Vec::new(),
        named: Vec::new(),
        names: Names::default(),
    };
    for (number, class) in classes.iter().enumerate() {
        let fail = |source| Error { class: first + number, source };
        outline.classes.clear();
        let file = ClassFile::parse_into(class.bytes, &mut outline).map_err(fail)?;
        for &constant in &outline.classes {
            let name = file.pool().class_name(constant).map_err(fail)?;
            part.named.push(Named { constant, name: part.names.number(name) });
        }
        part.files.push(file);
        part.ends.push(Ends { methods: outline.methods.len() as u32, named: part.named.len() as u32 });
    }
    part.methods = outline.methods;
    Ok(part)
}
