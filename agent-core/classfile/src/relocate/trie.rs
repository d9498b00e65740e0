//! Finds the longest rule that a name begins with, in one walk over the name whatever the number of rules.

use std::collections::VecDeque;

/// No rule, or no table.
const NONE: u32 = u32::MAX;
/// A node with more children than this gets a table instead of a linear search.
const LINEAR: usize = 4;

/// What may follow a match, besides the separator and the end of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// The text is a class name: a nested class may follow.
    Class = 1,
    /// The text is a package name: only a subpackage may follow.
    Package = 2,
    /// The text is the rest of a descriptor or signature.
    Type = 4,
    /// The text is anything.
    Text = 8,
}

/// Whether a byte can be part of a Java identifier. Bytes above ASCII belong to letters.
pub(super) const fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// For each byte, the contexts in which it ends a class name.
static BOUNDARIES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b == b'$' {
            table[byte] = Context::Class as u8 | Context::Type as u8 | Context::Text as u8;
        } else if matches!(b, b';' | b'<' | b'.') {
            table[byte] = Context::Type as u8 | Context::Text as u8;
        } else if !is_identifier(b) {
            table[byte] = Context::Text as u8;
        }
        byte += 1;
    }
    table
};

/// What to store under a key.
#[derive(Debug, Clone)]
pub(super) struct Key {
    /// The name, with the separator of the tree.
    pub(super) text: Vec<u8>,
    /// Number of the rule for the package or class of that name, with everything below.
    pub(super) prefix: Option<u32>,
    /// Number of the rule for the class of that name and its nested ones.
    pub(super) exact: Option<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// The bytes between the parent and this node, but for the first, which leads here: words, and their length.
    label: u32,
    length: u32,
    prefix: u32,
    exact: u32,
    /// Children are neighbours, in the order of their first bytes.
    children: u32,
    count: u32,
    /// Which table finds the children.
    table: u32,
}

/// Up to eight bytes as a number.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// A radix tree of names.
#[derive(Debug, Clone)]
pub(super) struct Trie {
    nodes: Vec<Node>,
    /// First byte of each node.
    firsts: Vec<u8>,
    /// Eight bytes each and which of their bits count.
    labels: Vec<(u64, u64)>,
    tables: Vec<[u32; 256]>,
    separator: u8,
}

impl Trie {
    /// Builds the tree from keys that are sorted and differ in their texts.
    pub(super) fn new(keys: &[Key], separator: u8) -> Self {
        let mut trie = Self { nodes: Vec::new(), firsts: vec![0], labels: Vec::new(), tables: Vec::new(), separator };
        let mut queue = VecDeque::from([(keys, 0)]);
        let mut reserved: u32 = 1;
        while let Some((keys, depth)) = queue.pop_front() {
            let (first, last) = match keys {
                [] => (&[][..], &[][..]),
                [first, .., last] => (&first.text[depth..], &last.text[depth..]),
                [only] => (&only.text[depth..], &only.text[depth..]),
            };
            // The root has no label; of any other node all keys share the first byte already.
            let root = trie.nodes.is_empty();
            let shared = if root { 0 } else { first.iter().zip(last).take_while(|(a, b)| a == b).count() };
            let label = trie.labels.len() as u32;
            for part in first[..shared].chunks(8) {
                let ones = [0xFF; 8];
                trie.labels.push((word(part), word(&ones[..part.len()])));
            }
            let depth = depth + shared;
            let (mut prefix, mut exact) = (None, None);
            let mut rest = keys;
            if let [key, others @ ..] = keys
                && key.text.len() == depth
            {
                (prefix, exact) = (key.prefix, key.exact);
                rest = others;
            }
            let children = reserved;
            let mut table = [NONE; 256];
            let mut count = 0;
            while let Some(key) = rest.first() {
                let byte = key.text[depth];
                let end = rest.iter().position(|k| k.text[depth] != byte).unwrap_or(rest.len());
                queue.push_back((&rest[..end], depth + 1));
                trie.firsts.push(byte);
                table[usize::from(byte)] = children + count;
                count += 1;
                reserved += 1;
                rest = &rest[end..];
            }
            let mut which = NONE;
            if count as usize > LINEAR || root {
                which = trie.tables.len() as u32;
                trie.tables.push(table);
            }
            trie.nodes.push(Node {
                label,
                length: shared as u32,
                prefix: prefix.unwrap_or(NONE),
                exact: exact.unwrap_or(NONE),
                children,
                count,
                table: which,
            });
        }
        trie
    }

    /// Whether any rule begins with the first byte of `text`.
    #[inline]
    pub(super) fn may_begin(&self, text: &[u8]) -> bool {
        text.first().is_some_and(|&byte| self.tables[0][usize::from(byte)] != NONE)
    }

    #[inline]
    fn child(&self, node: &Node, byte: u8) -> Option<usize> {
        if node.table != NONE {
            let child = self.tables[node.table as usize][usize::from(byte)];
            return (child != NONE).then_some(child as usize);
        }
        let start = node.children as usize;
        let firsts = &self.firsts[start..start + node.count as usize];
        firsts.iter().position(|&first| first == byte).map(|at| start + at)
    }

    /// The longest rule that `text` begins with and that `accept` takes.
    #[inline]
    pub(super) fn find(&self, text: &[u8], context: Context, mut accept: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut best = None;
        let mut node = &self.nodes[0];
        let mut at = 0;
        while let Some(&byte) = text.get(at)
            && let Some(child) = self.child(node, byte)
        {
            node = &self.nodes[child];
            at += 1;
            // No name contains a zero, so that the end of the text never looks like a part of a label.
            let mut rest = &text[at..];
            let words = &self.labels[node.label as usize..][..(node.length as usize).div_ceil(8)];
            for (value, mask) in words {
                let (bytes, after) = match rest.split_first_chunk::<8>() {
                    Some((chunk, after)) => (u64::from_le_bytes(*chunk), after),
                    None => (word(rest), &[][..]),
                };
                if (bytes ^ value) & mask != 0 {
                    return best;
                }
                rest = after;
            }
            at += node.length as usize;
            if node.prefix & node.exact == NONE {
                continue;
            }
            let (class_ends, name_ends) = match text.get(at) {
                None => (context != Context::Package, true),
                Some(&next) if next == self.separator => (context == Context::Text, true),
                Some(&next) => {
                    let boundary = BOUNDARIES[usize::from(next)] & context as u8 != 0;
                    (boundary, boundary)
                }
            };
            if class_ends && node.exact != NONE && accept(node.exact) {
                best = Some(node.exact);
            } else if name_ends && node.prefix != NONE && accept(node.prefix) {
                best = Some(node.prefix);
            }
        }
        best
    }
}
