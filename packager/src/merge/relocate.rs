//! Moves classes of the merged jar to other packages, and everything that names them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use classfile::mutf8;
use classfile::relocate::{Literal, Literals, NativeMethod, Relocated, Rules, native_methods, relocate};
use manifests::agent_toml::{self, LiteralPolicy};

use super::{MergeError, Part, unversioned};
use crate::archive::Archive;
use crate::assemble::Content;
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

/// What stands for the id of an extension in the target of a rule.
const ID: &str = "{id}";

/// Whether the file at `path` is a class.
pub(super) fn is_class(path: &str) -> bool {
    CLASSES.iter().any(|suffix| path.ends_with(suffix))
}

/// What the inputs hold, as far as relocation asks: names that literals may mean, and native libraries.
#[derive(Debug, Default)]
pub(crate) struct Holdings {
    /// Classes, packages and resources, as literals may name them.
    known: HashSet<String>,
    libraries: Vec<(Content, Origin)>,
    exported: OnceLock<BTreeMap<String, Origin>>,
}

impl Holdings {
    /// Those of jars.
    pub(crate) fn of(inputs: &[Arc<Archive>]) -> Self {
        let mut holdings = Self::default();
        for archive in inputs {
            for (index, entry) in archive.entries().iter().enumerate() {
                let content = || (Content::Entry { archive: Arc::clone(archive), index }, archive.origin(index));
                holdings.add(&entry.name, content);
            }
        }
        holdings
    }

    /// Adds the file or folder at `path`; `content` tells where its bytes are.
    pub(crate) fn add(&mut self, path: &str, content: impl FnOnce() -> (Content, Origin)) {
        if LIBRARIES.iter().any(|suffix| path.to_ascii_lowercase().ends_with(suffix)) {
            self.libraries.push(content());
        }
        let path = unversioned(path).1.trim_end_matches('/');
        let name = path.strip_suffix(".class").unwrap_or(path);
        let mut parent = name;
        while let Some((folder, _)) = parent.rsplit_once('/') {
            if !self.known.insert(folder.to_owned()) {
                break;
            }
            parent = folder;
        }
        self.known.insert(name.to_owned());
    }

    /// Every text in a native library that may be the symbol of a native method.
    fn exported(&self) -> Result<&BTreeMap<String, Origin>> {
        if let Some(known) = self.exported.get() {
            return Ok(known);
        }
        let mut symbols = BTreeMap::new();
        for (library, origin) in &self.libraries {
            let bytes = library.read()?;
            let mut at = 0;
            while let Some(found) = bytes[at..].windows(SYMBOL.len()).position(|window| window == SYMBOL) {
                let rest = &bytes[at + found..];
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let length = rest.iter().take_while(|byte| is_part(byte)).count();
                let symbol = String::from_utf8_lossy(&rest[..length]).into_owned();
                symbols.entry(symbol).or_insert_with(|| origin.clone());
                at += found + length;
            }
        }
        Ok(self.exported.get_or_init(|| symbols))
    }
}

/// Rules, the names they can meet, and what came of them. Threads share it.
pub(crate) struct Relocation {
    rules: Rules,
    policy: LiteralPolicy,
    holdings: Arc<Holdings>,
    /// Shared by all relocations of one output.
    notes: Arc<Mutex<Notes>>,
}

/// What is told afterwards.
#[derive(Default)]
pub(super) struct Notes {
    /// Class files that something was told of, by where they come from and the name they have now. A class is relocated
    /// once more for each time that its bytes are asked for.
    seen: HashSet<(Origin, Vec<u8>)>,
    changed: usize,
    literals: Vec<(String, Literal)>,
    natives: BTreeSet<String>,
    unseen: BTreeSet<(String, String)>,
    warnings: BTreeSet<String>,
}

impl fmt::Debug for Relocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relocation").field("rules", &self.rules.rules().len()).finish_non_exhaustive()
    }
}

/// Reads rules as the user wrote them.
///
/// # Errors
/// A rule names no package or class, or two contradict each other.
pub(crate) fn parse(rules: &[agent_toml::Relocation]) -> Result<Rules> {
    if let Some(rule) = rules.iter().find(|rule| rule.to.contains(ID)) {
        return Err(MergeError::NoId { from: rule.from.clone(), to: rule.to.clone() }.into());
    }
    let rules = Rules::new(rules.iter().map(|rule| (rule.from.as_str(), rule.to.as_str())));
    Ok(rules.map_err(|source| MergeError::Rules { source })?)
}

impl Relocation {
    /// Rules for jars that hold `holdings`; nothing where there are no rules.
    ///
    /// # Errors
    /// A rule names no package or class, or two contradict each other.
    pub(crate) fn new(
        rules: &[agent_toml::Relocation],
        policy: LiteralPolicy,
        holdings: impl FnOnce() -> Arc<Holdings>,
    ) -> Result<Option<Self>> {
        if rules.is_empty() {
            return Ok(None);
        }
        let rules = parse(rules)?;
        Ok(Some(Self { rules, policy, holdings: holdings(), notes: Arc::default() }))
    }

    /// The same for another part of one output: what comes of both is told together.
    pub(super) fn beside(&self, rules: Rules) -> Self {
        let (holdings, notes) = (Arc::clone(&self.holdings), Arc::clone(&self.notes));
        Self { rules, policy: self.policy, holdings, notes }
    }

    /// The same, with what comes of it told by `first`.
    pub(crate) fn telling_with(self, first: &Self) -> Self {
        Self { notes: Arc::clone(&first.notes), ..self }
    }

    /// Adds a warning to what is told afterwards, once.
    pub(super) fn warn(&self, warning: String) {
        self.notes().warnings.insert(warning);
    }

    /// The rules.
    pub(super) fn rules(&self) -> &Rules {
        &self.rules
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
    pub(crate) fn path(&self, path: &str) -> Option<String> {
        for folder in [super::services::FOLDER, "META-INF/spring/"] {
            if let Some(name) = path.strip_prefix(folder) {
                let (name, end) = name.strip_suffix(".imports").map_or((name, ""), |name| (name, ".imports"));
                return self.class(name).map(|new| format!("{folder}{new}{end}"));
            }
        }
        self.rules.path(path)
    }

    /// New name of a class or package, written with dots.
    pub(crate) fn class(&self, name: &str) -> Option<String> {
        self.rules.dotted(name)
    }

    /// The class file `bytes` as it is after the move; nothing if it stays as it is.
    ///
    /// # Errors
    /// It cannot be read, or has a native method that a library among the inputs would no longer be found for.
    pub(crate) fn apply(&self, bytes: &[u8], origin: &Origin) -> Result<Option<Vec<u8>>> {
        let relocated = self.relocated(bytes, origin)?;
        if relocated.bytes.is_some() {
            self.guard(bytes, origin)?;
        } else if relocated.literals.is_empty() {
            return Ok(None);
        }
        let mut notes = self.notes();
        if notes.seen.insert((origin.clone(), relocated.name.clone())) {
            let name = String::from_utf8_lossy(&relocated.name).into_owned();
            notes.changed += usize::from(relocated.bytes.is_some());
            notes.unseen.extend(relocated.unseen.into_iter().map(|attribute| (attribute, name.clone())));
            notes.literals.extend(relocated.literals.into_iter().map(|literal| (name.clone(), literal)));
        }
        Ok(relocated.bytes)
    }

    fn relocated(&self, bytes: &[u8], origin: &Origin) -> Result<Relocated> {
        let known = |name: &str| self.holdings.known.contains(name);
        let literals = match self.policy {
            LiteralPolicy::Off => Literals::Off,
            LiteralPolicy::Names => Literals::Names(&known),
            LiteralPolicy::Descriptors => Literals::Descriptors(&known),
        };
        let relocated = relocate(bytes, &self.rules, &literals);
        Ok(relocated.map_err(|source| MergeError::Relocate { origin: Box::new(origin.clone()), source })?)
    }

    /// Whether two class files become the same one.
    ///
    /// # Errors
    /// As [`Relocation::apply`].
    pub(super) fn same(&self, one: &Part<'_>, two: &Part<'_>) -> Result<bool> {
        let moved = |part: &Part<'_>| -> Result<Vec<u8>> {
            let bytes = part.read()?;
            Ok(self.relocated(&bytes, &part.origin())?.bytes.unwrap_or(bytes))
        };
        Ok(moved(one)? == moved(two)?)
    }

    /// Refuses to move a class whose native methods a library of the inputs exports by their old names.
    fn guard(&self, bytes: &[u8], origin: &Origin) -> Result<()> {
        let methods = native_methods(bytes).map_err(|source| crate::error::Error::Class {
            origin: Box::new(origin.clone()),
            source: Box::new(source),
        })?;
        for method in methods {
            let Some(new) = self.rules.class(&mutf8::encode(&method.class)) else { continue };
            let exported = self.holdings.exported()?;
            let of = |method: &NativeMethod| [method.symbol(), method.long_symbol()];
            let moved = NativeMethod { class: String::from_utf8_lossy(&new).into_owned(), ..method.clone() };
            if of(&moved).iter().any(|symbol| exported.contains_key(symbol)) {
                // The library was made for the new name.
                continue;
            }
            if let Some((symbol, library)) = of(&method).iter().find_map(|symbol| exported.get_key_value(symbol)) {
                return Err(MergeError::Native {
                    class: crate::class::dotted(&method.class),
                    method: method.name,
                    symbol: symbol.clone(),
                    library: Box::new(library.clone()),
                }
                .into());
            }
            self.notes().natives.insert(crate::class::dotted(&method.class));
        }
        Ok(())
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
        for warning in &notes.warnings {
            printer.warning(warning);
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
