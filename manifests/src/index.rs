//! `classes.index`: which class of an extension lies where in the jar, and what its bytes hash to.
//!
//! The first line is magic and version; then one line a class, sorted: dotted name, path of the entry in the jar and
//! SHA-256 of the class bytes in hexadecimal, separated by tabs, each line ended by LF.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write as _;

use crate::Error;

/// First line of an index: magic and version.
pub const HEADER: &str = "fatagent-classes 1";

/// The index of one extension.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassIndex {
    classes: BTreeMap<String, ClassEntry>,
}

/// Where a class lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassEntry {
    /// Name of the jar entry.
    pub path: String,
    /// SHA-256 of the class bytes.
    pub sha256: [u8; 32],
}

impl ClassIndex {
    /// Reads an index. Accepts lines in any order, but each class once.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let mut lines = bytes.split(|&byte| byte == b'\n');
        let header = lines.next().unwrap_or_default();
        if header != HEADER.as_bytes() {
            return Err(Error::IndexHeader { expected: HEADER, found: crate::manifest::shorten(header) });
        }
        let mut index = Self::default();
        let mut lines = lines.enumerate().peekable();
        while let Some((number, bytes)) = lines.next() {
            let line = number + 2;
            if bytes.is_empty() && lines.peek().is_none() {
                break;
            }
            let malformed = || Error::IndexLine { line, text: crate::manifest::shorten(bytes) };
            let text = std::str::from_utf8(bytes).map_err(|_| malformed())?;
            let fields: Vec<&str> = text.split('\t').collect();
            let [class, path, hash] = fields[..] else { return Err(malformed()) };
            if !is_storable(class) || !is_storable(path) {
                return Err(malformed());
            }
            let sha256 = parse_hash(hash).ok_or_else(|| Error::IndexHash { line, hash: hash.to_owned() })?;
            let entry = ClassEntry { path: path.to_owned(), sha256 };
            if index.classes.insert(class.to_owned(), entry).is_some() {
                return Err(Error::IndexDuplicateAt { line, class: class.to_owned() });
            }
        }
        Ok(index)
    }

    /// Adds a class by its dotted name.
    ///
    /// Fails when the class is already there, and for names and paths that the format cannot carry.
    pub fn insert(&mut self, class: &str, path: &str, sha256: [u8; 32]) -> Result<(), Error> {
        if let Some(text) = [class, path].into_iter().find(|text| !is_storable(text)) {
            return Err(Error::IndexText { text: text.to_owned() });
        }
        match self.classes.entry(class.to_owned()) {
            Entry::Occupied(first) => Err(Error::IndexDuplicate {
                class: class.to_owned(),
                first: first.get().path.clone(),
                second: path.to_owned(),
            }),
            Entry::Vacant(vacant) => {
                vacant.insert(ClassEntry { path: path.to_owned(), sha256 });
                Ok(())
            }
        }
    }

    /// The entry of a class, by its dotted name.
    pub fn get(&self, class: &str) -> Option<&ClassEntry> {
        self.classes.get(class)
    }

    /// Classes in the order of their names' bytes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ClassEntry)> {
        self.classes.iter().map(|(class, entry)| (class.as_str(), entry))
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Writes the index; equal indexes give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = format!("{HEADER}\n");
        for (class, entry) in &self.classes {
            text.push_str(class);
            text.push('\t');
            text.push_str(&entry.path);
            text.push('\t');
            for byte in entry.sha256 {
                let _infallible = write!(text, "{byte:02x}");
            }
            text.push('\n');
        }
        text.into_bytes()
    }
}

fn is_storable(text: &str) -> bool {
    !text.is_empty() && !text.contains(['\t', '\n', '\r'])
}

fn parse_hash(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    let mut hash = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        let high = char::from(pair[0]).to_digit(16)?;
        let low = char::from(pair[1]).to_digit(16)?;
        *byte = u8::try_from(high << 4 | low).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HASH: &str = "00000000000000000000000000000000000000000000000000000000000000ff";

    fn parse(text: &str) -> Result<ClassIndex, Error> {
        ClassIndex::parse(text.as_bytes())
    }

    #[test]
    fn lines_are_sorted_and_end_in_lf() {
        let mut hash = [0; 32];
        hash[31] = 0xff;
        let mut index = ClassIndex::default();
        index.insert("b.B$1", "x/b/B$1.classdata", hash).unwrap();
        index.insert("a.A", "x/a/A.classdata", hash).unwrap();
        let text = format!("fatagent-classes 1\na.A\tx/a/A.classdata\t{HASH}\nb.B$1\tx/b/B$1.classdata\t{HASH}\n");
        assert_eq!(String::from_utf8(index.to_bytes()).unwrap(), text);
        let read = parse(&text).unwrap();
        assert_eq!(read, index);
        assert_eq!(read.get("b.B$1").unwrap().path, "x/b/B$1.classdata");
        assert_eq!(read.get("b.B$1").unwrap().sha256, hash);
        assert_eq!(read.get("b.B"), None);
        assert_eq!(read.len(), 2);
        assert_eq!(read.iter().map(|(class, _)| class).collect::<Vec<_>>(), ["a.A", "b.B$1"]);
    }

    #[test]
    fn a_last_line_without_its_end_is_read() {
        assert_eq!(parse(&format!("{HEADER}\na.A\tp\t{HASH}")).unwrap().len(), 1);
        assert!(parse(HEADER).unwrap().is_empty());
    }

    #[test]
    fn another_header_names_both() {
        for (text, found) in [("fatagent-classes 2\n", "fatagent-classes 2"), ("", ""), ("PK\u{3}", "PK\u{3}")] {
            let error = parse(text).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("class index begins not with `fatagent-classes 1` but with: `{found}`")
            );
            assert_eq!(error.hint().as_deref(), Some("rebuild the jar with this version of fatagent"));
        }
    }

    #[test]
    fn bad_lines_are_numbered() {
        let generated = Some("the index is generated: rebuild the jar instead of editing it");
        let malformed = "is not class, path and hash separated by tabs";
        for (line, message) in [
            ("a.A".to_owned(), format!("class index line 3 {malformed}: `a.A`")),
            (format!("\tp\t{HASH}"), format!("class index line 3 {malformed}: `\tp\t{HASH}`")),
            (String::new(), format!("class index line 3 {malformed}: ``")),
            ("a.A\tp\t00".to_owned(), "class index line 3 has no SHA-256 in hexadecimal: `00`".to_owned()),
            (
                format!("a.A\tp\t{}", HASH.replace('f', "g")),
                format!("class index line 3 has no SHA-256 in hexadecimal: `{}`", HASH.replace('f', "g")),
            ),
            (format!("z.Z\tq\t{HASH}"), "class index line 3 repeats a class: `z.Z`".to_owned()),
        ] {
            let error = parse(&format!("{HEADER}\nz.Z\tp\t{HASH}\n{line}\n")).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert_eq!(error.hint().as_deref(), generated);
        }
    }

    #[test]
    fn insert_refuses_what_cannot_be_read_back() {
        let mut index = ClassIndex::default();
        index.insert("a.A", "one", [0; 32]).unwrap();
        let error = index.insert("a.A", "two", [0; 32]).unwrap_err();
        assert_eq!(error.to_string(), "class `a.A` is already in the index at `one`, again at: `two`");
        assert_eq!(error.hint().as_deref(), Some("remove one of the two classes from the inputs"));
        let error = index.insert("b.B", "a\tb", [0; 32]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "empty, or holds a tab or line break, which the class index cannot carry: \"a\\tb\""
        );
        assert_eq!(error.hint().as_deref(), Some("rename the file"));
        assert_eq!(index.len(), 1);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            classes in prop::collection::btree_map("[^\\t\\r\\n]{1,20}", ("[^\\t\\r\\n]{1,20}", any::<[u8; 32]>()), 0..20)
        ) {
            let mut index = ClassIndex::default();
            for (class, (path, hash)) in &classes {
                index.insert(class, path, *hash).unwrap();
            }
            prop_assert_eq!(ClassIndex::parse(&index.to_bytes()), Ok(index));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let mut text = format!("{HEADER}\n").into_bytes();
            text.extend(bytes);
            let _any = ClassIndex::parse(&text);
        }
    }
}
