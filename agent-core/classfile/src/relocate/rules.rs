//! Which names move where.

use super::error::Error;
use super::glob::Glob;
use super::trie::{Context, Key, Trie, is_identifier};
use super::types;
use crate::mutf8::{decode, encode};
use std::collections::BTreeMap;

/// One relocation rule, as users write it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rule {
    /// What moves: `org.dep` is everything in that package and below as well as a class of that name, `=a.b.C` is one
    /// class with its nested ones.
    pub from: String,
    /// The name that takes its place.
    pub to: String,
    /// Patterns of dotted class names that stay: `**` stands for anything, `*` for anything within a package, `?` for
    /// one character. `io.grpc.netty.shaded.**` is that package and everything below.
    pub excludes: Vec<String>,
}

/// A rule in the forms that relocation needs.
#[derive(Debug, Clone)]
pub(super) struct Move {
    /// Bytes that are replaced.
    pub(super) from: usize,
    /// What replaces them, in internal form.
    pub(super) internal: Box<[u8]>,
    /// The same with dots.
    pub(super) dotted: Box<[u8]>,
    identity: bool,
    excludes: Vec<Glob>,
}

/// Relocation rules, ready for use. They are only read, so any number of threads may share them.
///
/// A rule matches where a package or class name ends: `org.dep` is not a prefix of `org.depot`. The longest rule that
/// matches, and does not exclude the name, wins; none is applied to the result of another. A rule whose two sides are
/// equal keeps its names where they are.
///
/// ```
/// use classfile::relocate::Rules;
///
/// let rules = Rules::new([("org.dep", "x.org.dep"), ("=a.b.C", "x.C")])?;
/// assert_eq!(rules.dotted("org.dep.Codec").as_deref(), Some("x.org.dep.Codec"));
/// assert_eq!(rules.dotted("org.depot.Codec"), None);
/// assert_eq!(rules.class(b"a/b/C$In").as_deref(), Some(&b"x/C$In"[..]));
/// assert_eq!(rules.path("META-INF/versions/9/org/dep/A.class").as_deref(), Some("META-INF/versions/9/x/org/dep/A.class"));
/// # Ok::<(), classfile::relocate::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rules {
    given: Vec<Rule>,
    moves: Vec<Move>,
    slashed: Trie,
    dotted: Trie,
}

/// Suffixes of class files, masked ones included.
const CLASS_SUFFIXES: [&str; 3] = [".class", ".classdata", ".esclazz"];

impl Rules {
    /// Rules without exclusions, as pairs of source and target.
    ///
    /// # Errors
    /// Names that are none, sources or targets in `java`, and two different targets for one source.
    pub fn new<F: Into<String>, T: Into<String>>(rules: impl IntoIterator<Item = (F, T)>) -> Result<Self, Error> {
        let rule = |(from, to): (F, T)| Rule { from: from.into(), to: to.into(), excludes: Vec::new() };
        Self::with_excludes(rules.into_iter().map(rule))
    }

    /// Rules with exclusions.
    ///
    /// # Errors
    /// As [`Self::new`]; two rules for one source must have the same exclusions too.
    pub fn with_excludes(rules: impl IntoIterator<Item = Rule>) -> Result<Self, Error> {
        let mut given: Vec<Rule> = Vec::new();
        let mut moves = Vec::new();
        let mut sources: BTreeMap<String, [Option<u32>; 2]> = BTreeMap::new();
        for rule in rules {
            let (from, exact) = check(&rule)?;
            let known = &mut sources.entry(from.to_owned()).or_default()[usize::from(exact)];
            if let Some(first) = known.and_then(|number| given.get(number as usize)) {
                if first.to == rule.to && first.excludes == rule.excludes {
                    continue;
                }
                let text = |r: &Rule| [std::slice::from_ref(&r.to), &r.excludes].concat().join(" without ");
                return Err(Error::Conflict { from: rule.from.clone(), first: text(first), second: text(&rule) });
            }
            *known = Some(given.len() as u32);
            moves.push(Move {
                from: encode(from).len(),
                internal: encode(&rule.to.replace('.', "/")).into(),
                dotted: encode(&rule.to).into(),
                identity: from == rule.to,
                excludes: rule.excludes.iter().map(|e| Glob::new(e)).collect(),
            });
            given.push(rule);
        }
        let tree = |separator: &str| {
            let key = |(name, [prefix, exact]): (&String, &[Option<u32>; 2])| {
                let text = name.replace('.', separator);
                // Class files write some characters otherwise than UTF-8 does.
                Key { text: encode(&text).into_owned(), prefix: *prefix, exact: *exact }
            };
            let mut keys: Vec<Key> = sources.iter().map(key).collect();
            keys.sort_by(|a, b| a.text.cmp(&b.text));
            Trie::new(&keys, separator.as_bytes()[0])
        };
        let (slashed, dotted) = (tree("/"), tree("."));
        Ok(Self { given, moves, slashed, dotted })
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// The rules, in the order given, without repetitions.
    pub fn rules(&self) -> &[Rule] {
        &self.given
    }

    /// The rule that moves a class, given by its internal name.
    pub fn rule_of(&self, internal: &[u8]) -> Option<&Rule> {
        self.find(internal, Context::Class).map(|number| &self.given[number as usize])
    }

    /// New internal name of a class, for instance `x/org/dep/A`; array types, as class constants name them, included.
    /// `None` if it stays; so for every function here.
    pub fn class(&self, internal: &[u8]) -> Option<Vec<u8>> {
        if internal.first() == Some(&b'[') {
            return self.descriptor(internal);
        }
        let number = self.find(internal, Context::Class)?;
        Some(self.replace(internal, 0, number))
    }

    /// New name of a class, or of a package, written with dots.
    pub fn dotted(&self, name: &str) -> Option<String> {
        let name = encode(name);
        let number = self.find_dotted(&name, Context::Class)?;
        let rule = &self.moves[number as usize];
        text(&[&rule.dotted, &name[rule.from..]].concat())
    }

    /// New name of a package, written with dots. Unlike [`Self::dotted`] it never takes it for a class.
    pub fn package(&self, name: &str) -> Option<String> {
        let name = encode(name);
        let number = self.find_dotted(&name, Context::Package)?;
        let rule = &self.moves[number as usize];
        text(&[&rule.dotted, &name[rule.from..]].concat())
    }

    /// New internal name of a package, for instance `x/org/dep`.
    pub fn internal_package(&self, internal: &[u8]) -> Option<Vec<u8>> {
        let number = self.find(internal, Context::Package)?;
        Some(self.replace(internal, 0, number))
    }

    /// New place of a jar entry: a class, masked or not, follows its name, any other file and any folder its package.
    /// Entries below `META-INF/versions/N/` stay below it.
    pub fn path(&self, path: &str) -> Option<String> {
        let (versions, name) = split_version(path);
        let suffix = CLASS_SUFFIXES.iter().find(|suffix| name.ends_with(*suffix)).map_or(0, |suffix| suffix.len());
        let encoded = encode(name);
        let number = if suffix > 0 {
            self.find(&encoded[..encoded.len() - suffix], Context::Class)?
        } else {
            let folder = encoded.iter().rposition(|&b| b == b'/')?;
            self.find(&encoded[..folder], Context::Package)?
        };
        Some(format!("{versions}{}", text(&self.replace(&encoded, 0, number))?))
    }

    /// New form of a field or method descriptor.
    pub fn descriptor(&self, descriptor: &[u8]) -> Option<Vec<u8>> {
        let mut edits = Vec::new();
        types::descriptor(self, descriptor, &mut edits);
        (!edits.is_empty()).then(|| self.apply(descriptor, &edits))
    }

    /// New form of a generic signature of a class, method, field or type.
    pub fn signature(&self, signature: &[u8]) -> Option<Vec<u8>> {
        let mut edits = Vec::new();
        types::signature(self, signature, &mut edits);
        (!edits.is_empty()).then(|| self.apply(signature, &edits))
    }

    /// Jar entries that relocation would put at one place, although they have different places now.
    pub fn collisions<'p>(&self, paths: impl IntoIterator<Item = &'p str>) -> Vec<Collision> {
        let mut taken: BTreeMap<String, &str> = BTreeMap::new();
        let mut out = Vec::new();
        for path in paths {
            let target = self.path(path).unwrap_or_else(|| path.to_owned());
            match taken.get(&target) {
                Some(&first) if first != path => {
                    out.push(Collision { target, first: first.to_owned(), second: path.to_owned() });
                }
                Some(_) => {}
                None => {
                    taken.insert(target, path);
                }
            }
        }
        out
    }

    /// The rule that moves the name at the start of `text`.
    #[inline]
    pub(super) fn find(&self, text: &[u8], context: Context) -> Option<u32> {
        let found = self.slashed.find(text, context, |number| self.accepts(number, text, context, b'/'))?;
        (!self.moves[found as usize].identity).then_some(found)
    }

    /// Whether [`Self::find`] or [`Self::find_dotted`] is worth a try.
    #[inline]
    pub(super) fn may_begin(&self, text: &[u8]) -> bool {
        self.slashed.may_begin(text)
    }

    /// The same for names with dots.
    pub(super) fn find_dotted(&self, text: &[u8], context: Context) -> Option<u32> {
        let found = self.dotted.find(text, context, |number| self.accepts(number, text, context, b'.'))?;
        (!self.moves[found as usize].identity).then_some(found)
    }

    #[inline]
    fn accepts(&self, number: u32, text: &[u8], context: Context, separator: u8) -> bool {
        let excludes = &self.moves[number as usize].excludes;
        match excludes.as_slice() {
            [] => true,
            // Where the name ends does not matter to this one, unless it is the package itself.
            [only @ Glob::Below { .. }] if context != Context::Text => !only.matches(text, separator),
            _ => !excluded(excludes, text, context, separator),
        }
    }

    pub(super) fn rule(&self, number: u32) -> &Move {
        &self.moves[number as usize]
    }

    fn replace(&self, text: &[u8], at: usize, number: u32) -> Vec<u8> {
        self.apply(text, &[Edit { at: at as u32, rule: number }])
    }

    /// Replaces names within a text.
    pub(super) fn apply(&self, text: &[u8], edits: &[Edit]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len() + 16 * edits.len());
        let mut copied = 0;
        for edit in edits {
            let rule = self.rule(edit.rule);
            out.extend_from_slice(&text[copied..edit.at as usize]);
            out.extend_from_slice(&rule.internal);
            copied = edit.at as usize + rule.from;
        }
        out.extend_from_slice(&text[copied..]);
        out
    }
}

/// A name to replace within a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edit {
    /// Where the name begins.
    pub(super) at: u32,
    /// Number of the rule.
    pub(super) rule: u32,
}

/// Two jar entries that would end at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The place.
    pub target: String,
    /// The entry that came first.
    pub first: String,
    /// The one that came later.
    pub second: String,
}

/// Whether one of the patterns matches the name that `text` begins with.
#[cold]
fn excluded(excludes: &[Glob], text: &[u8], context: Context, separator: u8) -> bool {
    let in_name = |b: u8| match context {
        Context::Class | Context::Package => true,
        Context::Type => !matches!(b, b';' | b'<' | b'.'),
        Context::Text => is_identifier(b) || b == separator,
    };
    let end = text.iter().position(|&b| !in_name(b)).unwrap_or(text.len());
    excludes.iter().any(|glob| glob.matches(&text[..end], separator))
}

/// The source's name and whether it is for one class only.
fn check(rule: &Rule) -> Result<(&str, bool), Error> {
    let (from, exact) = rule.from.strip_prefix('=').map_or((rule.from.as_str(), false), |name| (name, true));
    let fail = |part, name: &str, at| Error::Name {
        from: rule.from.clone(),
        to: rule.to.clone(),
        part,
        at,
        name: name.to_owned(),
    };
    for (part, name) in [("source", from), ("target", &rule.to)] {
        check_name(name, "").map_err(|at| fail(part, name, at))?;
        if name == "java" || name.starts_with("java.") {
            let name = name.to_owned();
            return Err(Error::JavaPackage { from: rule.from.clone(), to: rule.to.clone(), part, name });
        }
    }
    for exclude in &rule.excludes {
        check_name(exclude, "*?").map_err(|at| fail("exclusion", exclude, at))?;
    }
    let simple = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let (old, new) = (simple(from), simple(&rule.to));
    if old != new && (old.contains('$') || new.contains('$')) {
        return Err(Error::NestedName { from: rule.from.clone(), to: rule.to.clone() });
    }
    Ok((from, exact))
}

/// Checks a dotted name; the error is where it goes wrong.
fn check_name(name: &str, wildcards: &str) -> Result<(), usize> {
    let mut empty = true;
    for (at, c) in name.char_indices() {
        let bad = c.is_control() || c.is_whitespace() || ";[/<>:\\\"'()=,*?".contains(c);
        if (c == '.' && empty) || (bad && !wildcards.contains(c)) {
            return Err(at);
        }
        empty = c == '.';
    }
    if empty || name.len() > usize::from(u16::MAX) { Err(name.len()) } else { Ok(()) }
}

/// Splits `META-INF/versions/N/` from the name that follows it.
fn split_version(path: &str) -> (&str, &str) {
    let Some(rest) = path.strip_prefix("META-INF/versions/") else { return ("", path) };
    match rest.split_once('/') {
        Some((number, name)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
            path.split_at(path.len() - name.len())
        }
        _ => ("", path),
    }
}

/// Back from modified UTF-8. Names came as strings, so this never fails.
fn text(bytes: &[u8]) -> Option<String> {
    decode(bytes).ok().map(std::borrow::Cow::into_owned)
}
