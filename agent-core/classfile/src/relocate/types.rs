//! Finds the names within descriptors and signatures.

use super::rules::{Edit, Rules};
use super::trie::{Context, is_identifier};

/// How deep types may nest in a signature that is checked.
const MAX_DEPTH: usize = 64;

/// A class name as a class constant holds it: internal, or the descriptor of an array.
#[inline]
pub(super) fn class(rules: &Rules, text: &[u8], edits: &mut Vec<Edit>) {
    if text.first() == Some(&b'[') {
        descriptor(rules, text, edits);
    } else if let Some(rule) = rules.find(text, Context::Class) {
        edits.push(Edit { at: 0, rule });
    }
}

/// An internal package name.
pub(super) fn package(rules: &Rules, text: &[u8], edits: &mut Vec<Edit>) {
    if let Some(rule) = rules.find(text, Context::Package) {
        edits.push(Edit { at: 0, rule });
    }
}

/// A field or method descriptor. One that breaks the grammar is read as far as it makes sense.
#[inline]
pub(super) fn descriptor(rules: &Rules, text: &[u8], edits: &mut Vec<Edit>) {
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'L' {
            at += 1;
            if let Some(rule) = rules.find(&text[at..], Context::Type) {
                edits.push(Edit { at: at as u32, rule });
            }
            at += semicolon(&text[at..]);
        }
        at += 1;
    }
}

/// Index of the first semicolon, or the length. Eight bytes at a time: names are too short for a call to pay.
#[inline]
fn semicolon(text: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (chunks, rest) = text.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        // A byte is zero exactly where the semicolon was; the lowest such bit found is always right.
        let word = u64::from_le_bytes(*chunk) ^ (ONES * u64::from(b';'));
        let found = word.wrapping_sub(ONES) & !word & (ONES << 7);
        if found != 0 {
            return index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    rest.iter().position(|&b| b == b';').map_or(text.len(), |at| chunks.len() * 8 + at)
}

/// A generic signature of any kind. One that breaks the grammar is read as far as it makes sense.
pub(super) fn signature(rules: &Rules, text: &[u8], edits: &mut Vec<Edit>) {
    let ends = |b: u8| matches!(b, b';' | b'<' | b'.' | b'>');
    let skip = |from: usize, stop: &dyn Fn(u8) -> bool| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().position(|&b| stop(b)).map_or(text.len(), |found| from + found)
    };
    let mut at = 0;
    // Within the declarations of type parameters, a name is expected where no type is.
    let mut declarations = text.first() == Some(&b'<');
    let mut depth = 0_usize;
    if declarations {
        at = skip(1, &|b| b == b':');
    }
    while at < text.len() {
        let mut type_ends = false;
        match text[at] {
            b'L' => {
                at += 1;
                if let Some(rule) = rules.find(&text[at..], Context::Type) {
                    edits.push(Edit { at: at as u32, rule });
                }
                at = skip(at, &ends);
                continue;
            }
            // What follows is the simple name of a nested class.
            b'.' => {
                at = skip(at + 1, &ends);
                continue;
            }
            b'T' => {
                at = skip(at, &|b| b == b';');
                type_ends = true;
            }
            b'<' => depth += 1,
            b'>' => depth = depth.saturating_sub(1),
            b';' | b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => type_ends = true,
            _ => {}
        }
        at += 1;
        if declarations && type_ends && depth == 0 {
            match text.get(at) {
                Some(b':') => {}
                Some(b'>') => {
                    declarations = false;
                    at += 1;
                }
                _ => at = skip(at, &|b| b == b':'),
            }
        }
    }
}

/// Any text with descriptors in it, as Kotlin's metadata hold them, or one internal name.
pub(super) fn embedded(rules: &Rules, text: &[u8], edits: &mut Vec<Edit>) {
    let in_name = |b: u8| is_identifier(b) || matches!(b, b'/' | b'-');
    let mut at = 0;
    if text.contains(&b'/') && text.iter().all(|&b| in_name(b) || b == b'.') {
        class(rules, text, edits);
        if !edits.is_empty() {
            return;
        }
    }
    while let Some(found) = text[at..].iter().position(|&b| b == b'L') {
        at += found + 1;
        let end = text[at..].iter().position(|&b| !in_name(b)).map_or(text.len(), |length| at + length);
        if matches!(text.get(end), Some(b';' | b'<' | b'.'))
            && let Some(rule) = rules.find(&text[at..], Context::Type)
        {
            edits.push(Edit { at: at as u32, rule });
            at = end;
        }
    }
}

/// Whether a text is wholly a descriptor or signature, in the strict sense: every name consists of identifiers.
pub(super) fn is_signature(text: &[u8]) -> bool {
    let mut parser = Parser { text, at: 0 };
    parser.whole().is_some() && parser.at == text.len()
}

/// Recursive descent over the grammar of signatures, of which descriptors are a part.
struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn whole(&mut self) -> Option<()> {
        if self.peek() == Some(b'<') {
            self.declarations()?;
        }
        if self.eat(b'(').is_some() {
            while self.eat(b')').is_none() {
                self.any(0)?;
            }
            if self.eat(b'V').is_none() {
                self.any(0)?;
            }
            while self.eat(b'^').is_some() {
                self.reference(0)?;
            }
            return Some(());
        }
        // A type, or the superclass and interfaces of a class.
        self.any(0)?;
        while self.peek() == Some(b'L') {
            self.reference(0)?;
        }
        Some(())
    }

    fn declarations(&mut self) -> Option<()> {
        self.eat(b'<')?;
        while self.eat(b'>').is_none() {
            self.identifier()?;
            self.eat(b':')?;
            if self.peek() != Some(b':') {
                self.reference(0)?;
            }
            while self.eat(b':').is_some() {
                self.reference(0)?;
            }
        }
        Some(())
    }

    fn any(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => {
                self.at += 1;
                Some(())
            }
            _ => self.reference(depth),
        }
    }

    fn reference(&mut self, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b'[' => self.any(depth + 1),
            b'T' => {
                self.identifier()?;
                self.eat(b';')
            }
            b'L' => {
                self.identifier()?;
                // Only within a type that has arguments are nested classes named one by one.
                let mut arguments = false;
                loop {
                    match self.peek()? {
                        b'/' if !arguments => {
                            self.at += 1;
                            self.identifier()?;
                        }
                        b'.' if arguments => {
                            self.at += 1;
                            self.identifier()?;
                        }
                        b'<' => {
                            self.arguments(depth)?;
                            arguments = true;
                        }
                        _ => return self.eat(b';'),
                    }
                }
            }
            _ => None,
        }
    }

    fn arguments(&mut self, depth: usize) -> Option<()> {
        self.eat(b'<')?;
        while self.eat(b'>').is_none() {
            match self.peek()? {
                b'*' => self.at += 1,
                b'+' | b'-' => {
                    self.at += 1;
                    self.reference(depth + 1)?;
                }
                _ => self.reference(depth + 1)?,
            }
        }
        Some(())
    }

    fn identifier(&mut self) -> Option<()> {
        let start = self.at;
        // `package-info` and some compilers use a hyphen.
        while self.peek().is_some_and(|b| is_identifier(b) || b == b'-') {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}
