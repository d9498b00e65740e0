//! The probes that an extension brings: files, or classes that were compiled together with it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::error::Error;
use super::output;
use crate::assemble::Content;
use crate::class::{Class, dotted};
use crate::digest::Sha256Hex;
use crate::error::Result;
use crate::extension::ExtensionClass;
use crate::extension::project::Project;
use crate::glob::Pattern;
use crate::merge::MergeError;
use crate::origin::Origin;
use crate::paths;
use crate::printer::Printer;
use crate::probes::{ANNOTATION, Probe, unmarked};

/// Takes the probes that the patterns of `probes` name, out of `classes` where they are among the extension's `own`. With `compiling`, what the usual output of a compiler holds is not looked at: it is older than `classes`.
///
/// # Errors
/// A pattern matches nothing, a file or class is no probe, or two of them have one name.
pub(super) fn take(
    project: &Project,
    mut classes: [&mut Vec<ExtensionClass>; 2],
    own: &BTreeSet<String>,
    compiling: bool,
) -> Result<Vec<ExtensionClass>> {
    let mut probes: Vec<ExtensionClass> = Vec::new();
    for text in &project.toml.probes {
        let parse = |text: &str| {
            Pattern::parse(text).map_err(|problem| crate::error::Error::Pattern {
                at: project.origin.clone(),
                pattern: text.to_owned(),
                problem,
            })
        };
        let pattern = parse(text)?;
        let below_output = output::without_folder(project, text).filter(|_| compiling);
        let files = if below_output.is_some() { Vec::new() } else { pattern.expand(&project.folder, false)? };
        let within = below_output.map_or(Ok(pattern), parse)?;
        let matches = |class: &ExtensionClass| {
            within.matches(&format!("{}{}", class.class.name, paths::CLASS_SUFFIX)) && own.contains(&class.class.name)
        };
        let compiled: Vec<ExtensionClass> =
            classes.iter_mut().flat_map(|classes| classes.extract_if(.., |class| matches(class))).collect();
        let taken_before = probes.iter().any(matches);
        if files.is_empty() && compiled.is_empty() && !taken_before {
            return Err(Error::NoProbe { at: project.origin.clone(), pattern: text.clone() }.into());
        }
        for class in compiled {
            if !is_marked(&class) {
                return Err(unmarked(&class.origin, &class.class));
            }
            probes.push(class);
        }
        for file in files {
            add(read(file)?, &mut classes, &mut probes)?;
        }
    }
    Ok(probes)
}

/// Names the classes that would be probes if a pattern named them.
pub(super) fn warn_of_others<'c>(
    project: &Project,
    classes: impl Iterator<Item = &'c ExtensionClass>,
    own: &BTreeSet<String>,
    printer: &Printer,
) {
    for class in classes.filter(|class| is_marked(class) && own.contains(&class.class.name)) {
        printer.warning(&format!(
            "`{}` has `@BTrace`, but `probes` does not name it: it is no probe; hint: add `{}{}` to `probes` of `{}`",
            dotted(&class.class.name),
            class.class.name,
            paths::CLASS_SUFFIX,
            project.origin
        ));
    }
}

fn is_marked(class: &ExtensionClass) -> bool {
    class.class.annotations.iter().any(|annotation| annotation == ANNOTATION)
}

fn read(file: PathBuf) -> Result<ExtensionClass> {
    Probe::read(&file)?;
    let origin = Origin::File(file.clone());
    let bytes = fs_err::read(&file)?;
    let class = Class::read(&bytes, &origin)?;
    Ok(ExtensionClass { class, content: Content::File(file), origin, sha256: Sha256Hex::of(&bytes) })
}

/// Adds a probe from a file, which the same compiler run may have put among the classes too.
fn add(
    probe: ExtensionClass,
    classes: &mut [&mut Vec<ExtensionClass>; 2],
    probes: &mut Vec<ExtensionClass>,
) -> Result<()> {
    let same_name = |class: &ExtensionClass| class.class.name == probe.class.name;
    let mut others = classes.iter().flat_map(|classes| classes.iter()).chain(&*probes);
    if let Some(other) = others.find(|class| same_name(class) && class.sha256 != probe.sha256) {
        return Err(MergeError::Conflict {
            path: format!("{}{}", probe.class.name, paths::CLASS_SUFFIX),
            first: Box::new(other.origin.clone()),
            second: Box::new(probe.origin.clone()),
            others: Vec::new(),
        }
        .into());
    }
    if !probes.iter().any(same_name) {
        for classes in classes {
            classes.retain(|class| !same_name(class));
        }
        probes.push(probe);
    }
    Ok(())
}
