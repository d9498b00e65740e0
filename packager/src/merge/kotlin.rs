//! Tables of Kotlin modules, `META-INF/*.kotlin_module`: which class of a package holds which top-level functions. Kotlin's
//! compiler and its reflection look there.
//!
//! The file is the version of the format (a count and as many numbers, four bytes each), from version 1.4 on a word of
//! flags, then a protocol buffer, `Module` of `jvm_module.proto` in Kotlin's sources. Of that the names of packages matter:
//! `package_parts` (1) and `metadata_parts` (2), each with `package_fq_name` (1) and the simple names of its classes (2, 4),
//! and `jvm_package_name` (3). All other fields are copied as they are.

use std::ops::Range;

use super::MergeError;
use super::relocate::Relocation;
use super::rule::{Rule, Source};
use crate::error::Result;

/// Fields of `Module`.
const PARTS: [u64; 2] = [1, 2];
const JVM_PACKAGE: u64 = 3;
/// A table of strings and one of names made of them, which only annotations use.
const TABLES: [u64; 4] = [4, 5, 6, 16];
/// Fields of `PackageParts`.
const PACKAGE: u64 = 1;
const CLASSES: [u64; 2] = [2, 4];
/// The flags came with this version.
const WITH_FLAGS: [u32; 2] = [1, 4];
/// Numbers in a version at most; others are a sign of another format.
const MAX_VERSION: usize = 16;

/// Tables of Kotlin modules.
pub(super) struct ModuleTable;

impl Rule for ModuleTable {
    fn name(&self) -> &'static str {
        "Kotlin module tables"
    }

    fn matches(&self, path: &str) -> bool {
        let name = path.strip_prefix("META-INF/").and_then(|name| name.strip_suffix(".kotlin_module"));
        name.is_some_and(|name| !name.contains('/'))
    }

    /// A table that cannot be read, or that names a package which would part, stays as it is with a warning.
    fn relocate(&self, source: &Source, relocation: &Relocation) -> Result<Option<Vec<u8>>> {
        let stays = |why: &str| {
            relocation.warn(format!("{} is copied untouched, with the old names of packages: {why}", source.origin));
            Ok(None)
        };
        let Some(table) = Table::read(&source.bytes) else { return stays("it is in no format that is known") };
        match table.relocated(relocation) {
            Err(package) => stays(&format!("only a part of the package `{package}` moves")),
            Ok(None) => Ok(None),
            Ok(Some(bytes)) => {
                if table.has_tables() {
                    relocation
                        .warn(format!("{} has names of annotations, which keep their old packages", source.origin));
                }
                Ok(Some(bytes))
            }
        }
    }

    /// The parts one after the other, which readers take for one list, as long as no number in them points into a table.
    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        let malformed = |source: &Source, problem: &str| MergeError::Malformed {
            origin: Box::new(source.origin.clone()),
            problem: problem.to_owned(),
        };
        let mut joined: Option<(Vec<u8>, Vec<u8>)> = None;
        for source in sources {
            let table =
                Table::read(&source.bytes).ok_or_else(|| malformed(source, "it is in no format that is known"))?;
            if table.fields.iter().any(|field| !PARTS.contains(&field.number)) {
                return Err(malformed(source, "it has more than parts of packages").into());
            }
            let (head, body) = (&source.bytes[..table.body], &source.bytes[table.body..]);
            match &mut joined {
                None => joined = Some((head.to_vec(), body.to_vec())),
                Some((first, all)) if first == head => all.extend_from_slice(body),
                Some(_) => return Err(malformed(source, "it is in another version of the format").into()),
            }
        }
        let (mut bytes, body) = joined.unwrap_or_default();
        bytes.extend(body);
        Ok(bytes)
    }
}

/// One field of a protocol buffer.
struct Field {
    number: u64,
    /// The whole field.
    all: Range<usize>,
    /// Its content, where that has a length.
    content: Option<Range<usize>>,
}

/// The fields of the message in `range` of `bytes`; nothing where that is none.
fn fields(bytes: &[u8], range: Range<usize>) -> Option<Vec<Field>> {
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let start = at;
        let key = varint(bytes, &mut at)?;
        let mut content = None;
        match key & 7 {
            0 => drop(varint(bytes, &mut at)?),
            1 => at += 8,
            2 => {
                let length = usize::try_from(varint(bytes, &mut at)?).ok()?;
                let end = at.checked_add(length)?;
                content = Some(at..end);
                at = end;
            }
            5 => at += 4,
            _ => return None,
        }
        if at > range.end || key >> 3 == 0 {
            return None;
        }
        found.push(Field { number: key >> 3, all: start..at, content });
    }
    Some(found)
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put(number: u64, content: &[u8], out: &mut Vec<u8>) {
    put_varint(number << 3 | 2, out);
    put_varint(content.len() as u64, out);
    out.extend_from_slice(content);
}

/// A table that could be read.
struct Table<'a> {
    bytes: &'a [u8],
    /// Where the protocol buffer begins.
    body: usize,
    fields: Vec<Field>,
}

impl<'a> Table<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let word = |index: usize| {
            bytes.get(4 * index..4 * index + 4).and_then(|word| Some(u32::from_be_bytes(word.try_into().ok()?)))
        };
        let count = usize::try_from(word(0)?).ok().filter(|count| *count <= MAX_VERSION)?;
        let version = (1..=count).map(word).collect::<Option<Vec<u32>>>()?;
        let flags = version.as_slice() >= &WITH_FLAGS[..];
        let body = 4 * (1 + count + usize::from(flags));
        (body <= bytes.len()).then_some(())?;
        let fields = fields(bytes, body..bytes.len())?;
        let table = Self { bytes, body, fields };
        for field in &table.fields {
            if PARTS.contains(&field.number) {
                table.part(field)?;
            } else if field.number == JVM_PACKAGE {
                table.text(field)?;
            }
        }
        Some(table)
    }

    fn text(&self, field: &Field) -> Option<&'a str> {
        std::str::from_utf8(&self.bytes[field.content.clone()?]).ok()
    }

    /// The fields of one `PackageParts`, and the name of its package.
    fn part(&self, field: &Field) -> Option<(Vec<Field>, &'a str)> {
        let fields = fields(self.bytes, field.content.clone()?)?;
        let names = fields.iter().filter(|field| field.number == PACKAGE || CLASSES.contains(&field.number));
        if names.clone().any(|field| self.text(field).is_none()) {
            return None;
        }
        let package = names.clone().find(|field| field.number == PACKAGE).and_then(|field| self.text(field))?;
        Some((fields, package))
    }

    fn has_tables(&self) -> bool {
        self.fields.iter().any(|field| TABLES.contains(&field.number))
    }

    /// The table with new names, or nothing where none moves; the error is a package of which only a part does.
    fn relocated(&self, relocation: &Relocation) -> Result<Option<Vec<u8>>, String> {
        let mut out = self.bytes[..self.body].to_vec();
        let mut changed = false;
        for field in &self.fields {
            let name = if field.number == JVM_PACKAGE { self.text(field) } else { None };
            if let Some(new) = name.and_then(|name| relocation.rules().package(name)) {
                changed = true;
                put(JVM_PACKAGE, new.as_bytes(), &mut out);
            } else if PARTS.contains(&field.number)
                && let Some((fields, package)) = self.part(field)
                && let Some(new) = self.new_package(&fields, package, relocation)?
            {
                changed = true;
                let mut part = Vec::new();
                for inner in &fields {
                    match inner.number {
                        PACKAGE => put(PACKAGE, new.as_bytes(), &mut part),
                        _ => part.extend_from_slice(&self.bytes[inner.all.clone()]),
                    }
                }
                put(field.number, &part, &mut out);
            } else {
                out.extend_from_slice(&self.bytes[field.all.clone()]);
            }
        }
        Ok(changed.then_some(out))
    }

    /// Where the package goes, by its name and by each of its classes; the error is its name where they disagree.
    fn new_package(&self, fields: &[Field], package: &str, relocation: &Relocation) -> Result<Option<String>, String> {
        let moved = relocation.rules().package(package);
        for field in fields.iter().filter(|field| CLASSES.contains(&field.number)) {
            let class = format!("{package}.{}", self.text(field).unwrap_or_default());
            let new = relocation.class(&class);
            let new = new.as_deref().and_then(|new| new.rsplit_once('.')).map(|(package, _)| package);
            if new != moved.as_deref() {
                return Err(package.to_owned());
            }
        }
        Ok(moved)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use manifests::agent_toml::{LiteralPolicy, Relocation as Given};

    use super::*;
    use crate::merge::Holdings;
    use crate::origin::Origin;

    fn relocation(rules: &[(&str, &str)]) -> Relocation {
        let rules: Vec<Given> =
            rules.iter().map(|(from, to)| Given { from: (*from).into(), to: (*to).into() }).collect();
        Relocation::new(&rules, LiteralPolicy::default(), || Arc::new(Holdings::default())).unwrap().unwrap()
    }

    fn part(package: &str, classes: &[&str]) -> Vec<u8> {
        let mut part = Vec::new();
        put(PACKAGE, package.as_bytes(), &mut part);
        for class in classes {
            put(CLASSES[0], class.as_bytes(), &mut part);
        }
        // A number, as facades have them.
        part.extend([7 << 3, 1]);
        part
    }

    fn table(head: &[u32], parts: &[Vec<u8>]) -> Source {
        let mut bytes: Vec<u8> = head.iter().flat_map(|word| word.to_be_bytes()).collect();
        for part in parts {
            put(PARTS[0], part, &mut bytes);
        }
        Source { bytes, origin: Origin::File("t".into()) }
    }

    #[test]
    fn packages_move_and_all_else_is_kept() {
        let moves = relocation(&[("org.dep", "x.org.dep")]);
        for head in [&[3, 1, 9, 0, 1][..], &[3, 1, 1, 18]] {
            let before = table(head, &[part("org.dep", &["AKt"]), part("other", &["BKt"]), part("", &["C"])]);
            let after = table(head, &[part("x.org.dep", &["AKt"]), part("other", &["BKt"]), part("", &["C"])]);
            assert_eq!(ModuleTable.relocate(&before, &moves).unwrap(), Some(after.bytes));
        }
        let other = table(&[3, 1, 9, 0, 0], &[part("org.depot", &["AKt"])]);
        assert_eq!(ModuleTable.relocate(&other, &moves).unwrap(), None);
    }

    #[test]
    fn a_package_that_would_part_stays() {
        let before = table(&[3, 1, 9, 0, 0], &[part("org.dep", &["AKt", "BKt"])]);
        for rules in [&[("=org.dep.AKt", "x.AKt")][..], &[("org.dep", "x.org.dep"), ("=org.dep.BKt", "org.dep.BKt")]] {
            assert_eq!(ModuleTable.relocate(&before, &relocation(rules)).unwrap(), None, "{rules:?}");
        }
    }

    #[test]
    fn what_is_no_table_is_seen() {
        let whole = table(&[3, 1, 9, 0, 0], &[part("org.dep", &["AKt"])]).bytes;
        for length in 0..whole.len() {
            assert!(Table::read(&whole[..length]).is_none_or(|table| table.fields.is_empty()), "{length}");
        }
        assert!(Table::read(&[0xff; 64]).is_none());
        let endless = [&[0, 0, 0, 0][..], &[0xff; 20]].concat();
        assert!(Table::read(&endless).is_none());
    }

    #[test]
    fn tables_of_one_module_are_joined() {
        let (one, two) = (table(&[1, 1], &[part("a", &["A"])]), table(&[1, 1], &[part("b", &["B"])]));
        let both = table(&[1, 1], &[part("a", &["A"]), part("b", &["B"])]);
        assert_eq!(ModuleTable.join(&[one, two]).unwrap(), both.bytes);
        let (one, two) = (table(&[1, 1], &[part("a", &["A"])]), table(&[1, 2, 0], &[part("b", &["B"])]));
        let message = ModuleTable.join(&[one, two]).unwrap_err().to_string();
        assert_eq!(message, "cannot join `t`: it is in another version of the format");
    }
}
