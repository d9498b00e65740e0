//! Moves classes of the merged jar to other packages, and everything that names them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use classfile::relocate::{Literal, Literals, Rules, native_methods, relocate};
use manifests::agent_toml;

use super::{MergeError, Part, unversioned};
use crate::archive::Archive;
use crate::error::Result;
use crate::origin::Origin;
use crate::printer::Printer;

/// Ends of the names of class files, masked ones included.
const CLASSES: [&str; 3] = [".class", ".classdata", ".esclazz"];
/// Ends of the names of native libraries.
const LIBRARIES: [&str; 4] = [".so", ".dll", ".dylib", ".jnilib"];
/// What the symbols of native methods begin with.
const SYMBOL: &[u8] = b"Java_";
/// Literals that are shown in one line without `-v`.
const HINT: &str = "`-v` lists them";

/// Whether the file at `path` is a class.
pub(super) fn is_class(path: &str) -> bool {
    CLASSES.iter().any(|suffix| path.ends_with(suffix))
}

/// Rules, the names they can meet, and what came of them. Threads share it.
pub(crate) struct Relocation {
    rules: Rules,
    /// Classes, packages and resources of the inputs, as literals may name them.
    known: HashSet<String>,
    inputs: Vec<Arc<Archive>>,
    exported: OnceLock<BTreeMap<String, Origin>>,
    notes: Mutex<Notes>,
}

/// What is told afterwards.
#[derive(Default)]
struct Notes {
    changed: usize,
    literals: Vec<(String, Literal)>,
    natives: BTreeSet<String>,
    unseen: BTreeSet<(String, String)>,
}

impl fmt::Debug for Relocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relocation").field("rules", &self.rules.rules().len()).finish_non_exhaustive()
    }
}

impl Relocation {
    /// Rules for the classes of `inputs`; nothing where there are none.
    ///
    /// # Errors
    /// A rule names no package or class, or two contradict each other.
    pub(super) fn new(rules: &[agent_toml::Relocation], inputs: &[Arc<Archive>]) -> Result<Option<Self>> {
        if rules.is_empty() {
            return Ok(None);
        }
        let rules = Rules::new(rules.iter().map(|rule| (rule.from.as_str(), rule.to.as_str())))
            .map_err(|source| MergeError::Rules { source })?;
        let mut known = HashSet::new();
        for entry in inputs.iter().flat_map(|archive| archive.entries()) {
            let path = unversioned(&entry.name).1.trim_end_matches('/');
            let name = path.strip_suffix(".class").unwrap_or(path);
            let mut parent = name;
            while let Some((folder, _)) = parent.rsplit_once('/') {
                if !known.insert(folder.to_owned()) {
                    break;
                }
                parent = folder;
            }
            known.insert(name.to_owned());
        }
        let inputs = inputs.to_vec();
        Ok(Some(Self { rules, known, inputs, exported: OnceLock::new(), notes: Mutex::default() }))
    }

    /// The rules as `from->to`, in the order given.
    pub(super) fn pairs(&self) -> impl Iterator<Item = String> {
        self.rules.rules().iter().map(|rule| format!("{}->{}", rule.from, rule.to))
    }

    /// The rule among ours that `pair` is, if its own result would move once more.
    pub(super) fn repeats(&self, pair: &str) -> bool {
        let rules = self.rules.rules();
        let same = rules.iter().find(|rule| pair == format!("{}->{}", rule.from, rule.to));
        same.is_some_and(|rule| self.rules.dotted(&rule.to).is_some())
    }

    /// New path of a file or folder.
    pub(super) fn path(&self, path: &str) -> Option<String> {
        for folder in [super::services::FOLDER, "META-INF/spring/"] {
            if let Some(name) = path.strip_prefix(folder) {
                let (name, end) = name.strip_suffix(".imports").map_or((name, ""), |name| (name, ".imports"));
                return self.class(name).map(|new| format!("{folder}{new}{end}"));
            }
        }
        self.rules.path(path)
    }

    /// New name of a class or package, written with dots.
    pub(super) fn class(&self, name: &str) -> Option<String> {
        self.rules.dotted(name)
    }

    /// The class file `bytes` as it is after the move; nothing if it stays as it is.
    ///
    /// # Errors
    /// It cannot be read, or has a native method that a library among the inputs would no longer be found for.
    pub(crate) fn apply(&self, bytes: &[u8], origin: &Origin) -> Result<Option<Vec<u8>>> {
        let known = |name: &str| self.known.contains(name);
        let relocated = relocate(bytes, &self.rules, &Literals::Names(&known))
            .map_err(|source| MergeError::Relocate { origin: Box::new(origin.clone()), source })?;
        if relocated.bytes.is_some() {
            self.guard(bytes, origin)?;
        }
        let name = String::from_utf8_lossy(&relocated.name).into_owned();
        let mut notes = self.notes();
        notes.changed += usize::from(relocated.bytes.is_some());
        notes.unseen.extend(relocated.unseen.into_iter().map(|attribute| (attribute, name.clone())));
        notes.literals.extend(relocated.literals.into_iter().map(|literal| (name.clone(), literal)));
        Ok(relocated.bytes)
    }

    /// Whether two class files become the same one.
    ///
    /// # Errors
    /// As [`Relocation::apply`].
    pub(super) fn same(&self, one: &Part<'_>, two: &Part<'_>) -> Result<bool> {
        let moved = |part: &Part<'_>| -> Result<Vec<u8>> {
            let bytes = part.read()?;
            let known = |name: &str| self.known.contains(name);
            let relocated = relocate(&bytes, &self.rules, &Literals::Names(&known))
                .map_err(|source| MergeError::Relocate { origin: Box::new(part.origin()), source })?;
            Ok(relocated.bytes.unwrap_or(bytes))
        };
        Ok(moved(one)? == moved(two)?)
    }

    /// Refuses to move a class whose native methods a library of the inputs exports by their old names.
    fn guard(&self, bytes: &[u8], origin: &Origin) -> Result<()> {
        let methods = native_methods(bytes).map_err(|source| crate::error::Error::Class {
            origin: Box::new(origin.clone()),
            source: Box::new(source),
        })?;
        for method in methods.iter().filter(|method| self.rules.class(method.class.as_bytes()).is_some()) {
            for symbol in [method.symbol(), method.long_symbol()] {
                if let Some(library) = self.exported()?.get(&symbol) {
                    return Err(MergeError::Native {
                        class: crate::class::dotted(&method.class),
                        method: method.name.clone(),
                        symbol,
                        library: Box::new(library.clone()),
                    }
                    .into());
                }
            }
            self.notes().natives.insert(crate::class::dotted(&method.class));
        }
        Ok(())
    }

    /// Every text in a native library of the inputs that may be the symbol of a native method.
    fn exported(&self) -> Result<&BTreeMap<String, Origin>> {
        if let Some(known) = self.exported.get() {
            return Ok(known);
        }
        let mut symbols = BTreeMap::new();
        for archive in &self.inputs {
            for (index, entry) in archive.entries().iter().enumerate() {
                if !LIBRARIES.iter().any(|suffix| entry.name.to_ascii_lowercase().ends_with(suffix)) {
                    continue;
                }
                let bytes = archive.read(index)?;
                let mut at = 0;
                while let Some(found) = bytes[at..].windows(SYMBOL.len()).position(|window| window == SYMBOL) {
                    let rest = &bytes[at + found..];
                    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                    let length = rest.iter().take_while(|byte| is_part(byte)).count();
                    let symbol = String::from_utf8_lossy(&rest[..length]).into_owned();
                    symbols.entry(symbol).or_insert_with(|| archive.origin(index));
                    at += found + length;
                }
            }
        }
        Ok(self.exported.get_or_init(|| symbols))
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        // Notes are whole after each change, so a panic of another thread does not spoil them.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells what came of it: the same lines whatever the order in which threads worked.
    pub(crate) fn report(&self, printer: &Printer) {
        let mut notes = self.notes();
        let changed = notes.literals.iter().filter(|(_, literal)| literal.replaced.is_some()).count();
        let left = notes.literals.len() - changed;
        notes.literals.sort_by(|one, two| (&one.0, &one.1.text).cmp(&(&two.0, &two.1.text)));
        for (class, Literal { text, replaced, reason, .. }) in &notes.literals {
            let class = crate::class::dotted(class);
            match replaced {
                Some(new) => printer.detail(&format!("literal {text:?} of `{class}` becomes {new:?}: {reason}")),
                None => printer.detail(&format!("literal {text:?} of `{class}` is left: {reason}")),
            }
        }
        for (attribute, class) in &notes.unseen {
            let class = crate::class::dotted(class);
            printer.warning(&format!(
                "`{class}` has an attribute that may hold names and is left as it is: `{attribute}`"
            ));
        }
        if !notes.natives.is_empty() {
            let classes: Vec<String> = notes.natives.iter().map(|class| format!("`{class}`")).collect();
            printer.warning(&format!(
                "classes with native methods move; their libraries, which are not among the inputs or register methods \
                 themselves, must know the new names: {}",
                classes.join(", ")
            ));
        }
        printer.status(
            "Relocated",
            &format!(
                "{} classes; string literals that mention a moved name: {changed} changed, {left} left; {HINT}",
                notes.changed
            ),
        );
    }
}
