//! Puts base, extensions, probes and defaults into one layout.

use crate::extension::ExtensionError;
use std::collections::BTreeMap;

use super::defaults::{Defaults, add_arguments};
use crate::assemble::Layout;
use crate::base::Base;
use crate::class::dotted;
use crate::error::{Error, Result};
use crate::extension::Extension;
use crate::native;
use crate::origin::Place;
use crate::paths;
use crate::printer::Printer;
use crate::probes::{ANNOTATION, Probe, unmarked};

/// Everything that goes into the jar besides its manifest.
pub(super) struct Inputs<'a> {
    pub(super) base: &'a Base,
    /// Full names of the targets whose cores are kept.
    pub(super) targets: &'a [String],
    pub(super) extensions: &'a [Extension],
    pub(super) probes: &'a [Probe],
    /// Arguments, settings and policy.
    pub(super) defaults: &'a Defaults,
}

impl Inputs<'_> {
    /// The layout of the output.
    ///
    /// # Errors
    /// Two files claim one path, a class would be at two places, or a probe that an extension names is missing.
    pub(super) fn layout(&self, printer: &Printer) -> Result<Layout> {
        let mut layout = Layout::default();
        self.add_base(&mut layout, printer)?;
        let mut owners: BTreeMap<&str, &Extension> = BTreeMap::new();
        for extension in self.extensions {
            for class in &extension.api {
                let name = class.class.name.as_str();
                let first = match owners.insert(name, extension) {
                    Some(owner) => {
                        Some((api_of(owner), owner.api.iter().find(|c| c.class.name == name).map(|c| &c.origin)))
                    }
                    None => layout
                        .get(&format!("{name}{}", paths::CLASS_SUFFIX))
                        .map(|item| ("a bootstrap class of the base".to_owned(), Some(&item.origin))),
                };
                if let Some((what, Some(origin))) = first {
                    return Err(Error::ClassTwice {
                        class: dotted(name),
                        first: Box::new(Place { what, origin: origin.clone() }),
                        second: Box::new(Place { what: api_of(extension), origin: class.origin.clone() }),
                    });
                }
            }
            for probe in &extension.probes {
                if !probe.class.annotations.iter().any(|annotation| annotation == ANNOTATION) {
                    return Err(unmarked(&probe.origin, &probe.class));
                }
            }
            extension.add_to(&mut layout)?;
        }
        for probe in self.probes {
            probe.add_to(&mut layout)?;
        }
        self.check_named_probes(&layout)?;
        self.defaults.check_probes(&layout)?;
        self.defaults.add_to(&mut layout)?;
        add_arguments(self.defaults.arguments(), self.base, &mut layout, printer)?;
        refuse_class_twice(&layout)?;
        Ok(layout)
    }

    fn add_base(&self, layout: &mut Layout, printer: &Printer) -> Result<()> {
        let archive = &self.base.archive;
        for (index, entry) in archive.entries().iter().enumerate() {
            // The defaults of the base are merged with ours below.
            if entry.is_dir()
                || matches!(entry.name.as_str(), paths::MANIFEST | paths::AGENT_PROPERTIES | paths::JAR_INDEX)
                || self.defaults.replaces(&entry.name)
            {
                continue;
            }
            if paths::is_signature(&entry.name) {
                let origin = archive.origin(index);
                printer.warning(&format!("{origin} is left out: a signature does not hold for another jar"));
                continue;
            }
            if let Some(target) = native::target_of(&entry.name)
                && !self.targets.iter().any(|wanted| wanted == target)
            {
                printer.detail(&format!("the core for `{}` is left out", native::short_target(target)));
                continue;
            }
            layout.add_entry(entry.name.clone(), archive, index)?;
        }
        Ok(())
    }

    /// Probes that an extension names, by simple or full name, must be there.
    fn check_named_probes(&self, layout: &Layout) -> Result<()> {
        for extension in self.extensions {
            for named in &extension.metadata.probes {
                let suffix = format!("/{}{}", crate::class::slashed(named), paths::CLASS_SUFFIX);
                let found = layout.iter().any(|(path, _)| path.starts_with(paths::PROBES) && path.ends_with(&suffix));
                if !found {
                    return Err(ExtensionError::NoDeclaredClass {
                        id: extension.id().to_owned(),
                        role: "list of probes",
                        class: named.clone(),
                    }
                    .into());
                }
            }
        }
        Ok(())
    }
}

fn api_of(extension: &Extension) -> String {
    format!("an API class of extension `{}`", extension.id())
}

/// Refuses a class that the bootstrap loader would see and that is also masked.
fn refuse_class_twice(layout: &Layout) -> Result<()> {
    for (path, item) in layout.iter() {
        let Some((name, what)) = masked_class(path) else { continue };
        if let Some(visible) = layout.get(&format!("{name}{}", paths::CLASS_SUFFIX)) {
            return Err(Error::ClassTwice {
                class: dotted(name),
                first: Box::new(Place { what: "a bootstrap class".into(), origin: visible.origin.clone() }),
                second: Box::new(Place { what, origin: item.origin.clone() }),
            });
        }
    }
    Ok(())
}

/// The internal name of the masked class at `path`, and what it is.
pub(crate) fn masked_class(path: &str) -> Option<(&str, String)> {
    let name = path.strip_suffix(paths::MASKED_SUFFIX)?;
    if let Some(rest) = name.strip_prefix(paths::EXTENSIONS) {
        let (id, class) = rest.split_once("/classes/")?;
        return Some((class, format!("an implementation class of extension `{id}`")));
    }
    let (section, class) = name.strip_prefix(paths::SECTIONS)?.split_once('/')?;
    paths::SECTION_NAMES.contains(&section).then(|| (class, format!("a class of section `{section}`")))
}
