//! Compiles probes and the classes that they match.
#![allow(dead_code, reason = "each test binary uses what it needs")]

pub(crate) mod sites;

use classfile::{ClassFile, mutf8};
use probe::weaving::MethodInfo;
use probe::{Error, Probe, read};
use std::path::Path;
use tempfile::TempDir;

/// Compiles source files beside the annotations that probes are written with.
pub(crate) fn classes(sources: &[(String, String)]) -> TempDir {
    let api = Path::new(env!("CARGO_MANIFEST_DIR")).join("../java/boot");
    let out = tempfile::tempdir().expect("a folder");
    let list: Vec<(&str, &str)> = sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let options =
        ["--release", "8", "-g", "-Xlint:-options", "-proc:none", "-sourcepath", api.to_str().expect("UTF-8")];
    fixtures::javac(&list, &options, out.path()).expect("the sources compile");
    out
}

pub(crate) fn class(folder: &TempDir, name: &str) -> Vec<u8> {
    fs_err::read(folder.path().join(format!("{name}.class"))).expect("a class")
}

/// The members of probes, each compiled as a probe `P0`, `P1`, … of its own; one run of javac for all.
pub(crate) fn probes(members: &[&str]) -> Vec<Result<Probe, Error>> {
    let sources: Vec<(String, String)> = members
        .iter()
        .enumerate()
        .map(|(i, body)| {
            let text = format!(
                "import io.btrace.core.annotations.*; import io.btrace.core.types.AnyType;\n\
                 @BTrace public class P{i} {{ {body} }}"
            );
            (format!("P{i}.java"), text)
        })
        .collect();
    let folder = classes(&sources);
    (0..members.len()).map(|i| read(&class(&folder, &format!("P{i}")), &[])).collect()
}

/// Calls `each` with every method of a class.
pub(crate) fn methods(file: &ClassFile<'_>, mut each: impl FnMut(&MethodInfo<'_>)) {
    for member in file.methods() {
        let (name, descriptor) = (mutf8::decode(member.name).unwrap(), mutf8::decode(member.descriptor).unwrap());
        each(&MethodInfo { class: file, member, access: member.access, name: &name, descriptor: &descriptor });
    }
}
