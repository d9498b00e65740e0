//! String literals: which ones name something that moves, and which of those change.

use super::rules::Rules;
use super::switches::Switches;
use super::trie::{Context, is_identifier};
use super::types;
use crate::mutf8;
use std::borrow::Cow;
use std::fmt;

/// Tells whether a name belongs to the jar.
///
/// It is asked for the internal name of a class (`org/dep/A$In`) or package (`org/dep`), or for the path of a resource
/// (`org/dep/r.txt`), never with a slash at either end.
pub type Known<'k> = &'k dyn Fn(&str) -> bool;

/// Which string literals, and strings in annotations, follow the rules. Only whole literals ever do.
#[derive(Clone, Copy, Default)]
pub enum Literals<'k> {
    /// None.
    Off,
    /// Those that are the name of a class, package or resource of the jar, however it is spelt: `org.dep.A`,
    /// `org/dep/A.class`, `[Lorg.dep.A;`, `/org/dep/r.txt`, `org/dep/`. A single word never counts as a name.
    Names(Known<'k>),
    /// Such names, and descriptors and signatures, for instance `(Lorg/dep/A;)V`.
    Descriptors(Known<'k>),
    /// Descriptors and signatures only, where it is not known what the jar holds.
    #[default]
    OnlyDescriptors,
}

impl fmt::Debug for Literals<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "Off",
            Self::Names(_) => "Names",
            Self::Descriptors(_) => "Descriptors",
            Self::OnlyDescriptors => "OnlyDescriptors",
        })
    }
}

/// A literal that mentions a name which moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The literal; halves of surrogate pairs are shown as U+FFFD.
    pub text: String,
    /// What it has become, if it has changed.
    pub replaced: Option<String>,
    /// Why it has changed or not.
    pub reason: Reason,
}

/// Why a literal has changed or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Changed: it is a descriptor or signature.
    Descriptor,
    /// Changed: it is the name of a class, package or resource of the jar.
    Name,
    /// Left: literals stay, as was asked for.
    Off,
    /// Left: it is a descriptor or signature, and only names change, as was asked for.
    NotDescriptors,
    /// Left: it has the form of a name, and only descriptors change, as was asked for.
    NotNames,
    /// Left: it has the form of a name, but the jar holds nothing of that name.
    Unknown,
    /// Left: a single word is too likely to mean something else.
    Word,
    /// Left: only a part of it looks like a name.
    Part,
    /// Left: a `switch` compares it by a hash code that was computed before.
    Switch,
    /// Left: it is the encoded part of Kotlin's metadata.
    KotlinData,
    /// Left: it is no text that could name anything.
    Malformed,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Descriptor => "a descriptor",
            Self::Name => "a name in the jar",
            Self::Off => "literals are left alone",
            Self::NotDescriptors => "descriptors in literals are left alone",
            Self::NotNames => "names in literals are left alone",
            Self::Unknown => "nothing of that name in the jar",
            Self::Word => "a single word",
            Self::Part => "not as a whole a name",
            Self::Switch => "compared by hash code in a switch",
            Self::KotlinData => "encoded Kotlin metadata",
            Self::Malformed => "malformed text",
        })
    }
}

/// Whether the text mentions, where a word begins, a name that moves.
#[inline]
pub(super) fn mentions(rules: &Rules, text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        if !WORD[usize::from(text[at])] {
            at += 1;
            continue;
        }
        // A separator before the word is fine at the start of a path, but not within a longer name.
        let inner = at >= 2 && matches!(text[at - 1], b'.' | b'/') && is_identifier(text[at - 2]);
        if !inner && mentioned_at(rules, text, at) {
            return true;
        }
        while at < text.len() && WORD[usize::from(text[at])] {
            at += 1;
        }
    }
    false
}

#[inline]
fn mentioned_at(rules: &Rules, text: &[u8], word: usize) -> bool {
    let moves = |at: usize| {
        let rest = &text[at..];
        rules.may_begin(rest)
            && (rules.find(rest, Context::Text).is_some() || rules.find_dotted(rest, Context::Text).is_some())
    };
    if moves(word) {
        return true;
    }
    // The word may also begin with types of a descriptor.
    let mut at = word;
    while let Some(b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b'V') = text.get(at) {
        at += 1;
    }
    text.get(at) == Some(&b'L') && moves(at + 1)
}

/// Which bytes belong to identifiers.
static WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = is_identifier(byte as u8);
        byte += 1;
    }
    table
};

/// Decides about a literal that mentions a name which moves.
pub(super) fn decide(
    rules: &Rules,
    text: &[u8],
    literals: &Literals<'_>,
    switches: &mut Switches<'_>,
) -> (Option<Vec<u8>>, Reason) {
    let (names, descriptors) = match literals {
        Literals::Off => return (None, Reason::Off),
        Literals::OnlyDescriptors => (None, true),
        Literals::Descriptors(known) => (Some(known), true),
        Literals::Names(known) => (Some(known), false),
    };
    let Ok(decoded) = mutf8::decode(text) else { return (None, Reason::Malformed) };
    let (new, reason) = if types::is_signature(text) {
        let new = rules.signature(text);
        let reason = match &new {
            None => Reason::Part,
            Some(_) if descriptors => Reason::Descriptor,
            Some(_) => Reason::NotDescriptors,
        };
        (new.filter(|_| descriptors), reason)
    } else {
        match names {
            Some(known) => name(rules, &decoded, known),
            None if spelling(&decoded).is_some() => (None, Reason::NotNames),
            None => (None, Reason::Part),
        }
    };
    if new.is_some() && switches.compares(&decoded) { (None, Reason::Switch) } else { (new, reason) }
}

/// How a literal spells a name.
struct Spelling<'t> {
    /// What precedes the name: dimensions of an array, or a slash.
    before: &'t str,
    name: &'t str,
    /// What follows it: the end of an array type, of a class file or of a folder.
    after: &'t str,
    dotted: bool,
}

/// The name that a literal spells, if the whole of it does.
fn spelling(text: &str) -> Option<Spelling<'_>> {
    let dimensions = text.len() - text.trim_start_matches('[').len();
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_identifier);
    // `Class.forName` writes array types with dots.
    if dimensions > 0 {
        let name = text[dimensions..].strip_prefix('L')?.strip_suffix(';')?;
        let (before, after) = (&text[..=dimensions], &text[text.len() - 1..]);
        return name.split('.').all(is_word).then_some(Spelling { before, name, after, dotted: true });
    }
    if !text.contains('/') {
        return text.split('.').all(is_word).then_some(Spelling { before: "", name: text, after: "", dotted: true });
    }
    let slash = usize::from(text.starts_with('/'));
    let rest = &text[slash..];
    let name = rest.strip_suffix('/').or_else(|| rest.strip_suffix(".class")).unwrap_or(rest);
    let part = |part: &str| !part.is_empty() && !part.chars().any(|c| c.is_control() || ";[\\".contains(c));
    let (before, after) = (&text[..slash], &rest[name.len()..]);
    name.split('/').all(part).then_some(Spelling { before, name, after, dotted: false })
}

fn name(rules: &Rules, text: &str, known: Known<'_>) -> (Option<Vec<u8>>, Reason) {
    let Some(Spelling { before, name, after, dotted }) = spelling(text) else { return (None, Reason::Part) };
    let internal: Cow<'_, str> = if dotted { name.replace('.', "/").into() } else { name.into() };
    if !internal.contains('/') && before.is_empty() {
        return (None, Reason::Word);
    }
    if !known(&internal) {
        return (None, Reason::Unknown);
    }
    // A dot within a path belongs to the name of a file.
    let file = internal.rsplit('/').next().is_some_and(|last| last.contains('.'));
    let new = if dotted {
        rules.dotted(name)
    } else if file {
        rules.path(name)
    } else {
        rules.class(&mutf8::encode(name)).and_then(|new| mutf8::decode(&new).ok().map(Cow::into_owned))
    };
    match new {
        Some(new) => (Some(mutf8::encode(&format!("{before}{new}{after}")).into_owned()), Reason::Name),
        None => (None, Reason::Part),
    }
}
