//! Class loaders of an agent that name no parent.
//!
//! In a plain agent jar the parent is then the system class loader, which is the loader of the agent's own classes, and so
//! the new loader finds them. Once they are masked it no longer would. The constant pool is therefore edited: such a class
//! extends `io.btrace.boot.ChildClassLoader`, whose parent is the loader of the section. No code changes.

/// What is extended, and what instead.
const PLAIN: &[u8] = b"java/lang/ClassLoader";
const CHILD: &[u8] = b"io/btrace/boot/ChildClassLoader";
/// The constructors that both have. A class that calls another one stays as it is.
const CONSTRUCTORS: [&[u8]; 2] = [b"()V", b"(Ljava/lang/ClassLoader;)V"];
/// The one that names no parent.
const IMPLICIT: &[u8] = CONSTRUCTORS[0];

/// The class as a child of its section's loader; `None` when it is no loader, or always names its parent.
pub(super) fn adopt(class: &[u8]) -> Option<Vec<u8>> {
    let pool = Pool::read(class)?;
    let super_class = pool.end + 4;
    if pool.class_name(u16_at(class, super_class)?)? != PLAIN {
        return None;
    }
    let mut calls = Vec::new();
    let mut implicit = false;
    for &(_, at) in pool.entries.iter().filter(|(tag, _)| *tag == METHOD) {
        let (_, signature) = pool.entry(u16_at(class, at + 2)?)?;
        let name = pool.text(u16_at(class, signature)?)?;
        if name != b"<init>" || pool.class_name(u16_at(class, at)?)? != PLAIN {
            continue;
        }
        let descriptor = pool.text(u16_at(class, signature + 2)?)?;
        if !CONSTRUCTORS.contains(&descriptor) {
            return None;
        }
        implicit |= descriptor == IMPLICIT;
        calls.push(at);
    }
    let count = u16::try_from(pool.entries.len()).ok()?;
    let (text, reference, new_count) = (count, count.checked_add(1)?, count.checked_add(2)?);
    if !implicit {
        return None;
    }
    let mut out = class.to_vec();
    for at in calls.into_iter().chain([super_class]) {
        out[at..at + 2].copy_from_slice(&reference.to_be_bytes());
    }
    let mut added = vec![UTF8];
    added.extend((CHILD.len() as u16).to_be_bytes());
    added.extend(CHILD);
    added.push(CLASS);
    added.extend(text.to_be_bytes());
    out[8..10].copy_from_slice(&new_count.to_be_bytes());
    out.splice(pool.end..pool.end, added);
    Some(out)
}

const UTF8: u8 = 1;
const CLASS: u8 = 7;
const METHOD: u8 = 10;

/// Where the constants are.
struct Pool<'a> {
    class: &'a [u8],
    /// Tag and offset behind it; tag 0 for what is no entry.
    entries: Vec<(u8, usize)>,
    /// Offset of the first byte behind the pool.
    end: usize,
}

impl<'a> Pool<'a> {
    fn read(class: &'a [u8]) -> Option<Self> {
        let count = usize::from(u16_at(class, 8)?);
        let mut entries = vec![(0, 0)];
        let mut at = 10;
        while entries.len() < count {
            let tag = *class.get(at)?;
            at += 1;
            entries.push((tag, at));
            at += match tag {
                UTF8 => 2 + usize::from(u16_at(class, at)?),
                3 | 4 | 9..=12 | 17 | 18 => 4,
                5 | 6 => {
                    entries.push((0, 0));
                    8
                }
                7 | 8 | 16 | 19 | 20 => 2,
                15 => 3,
                _ => return None,
            };
        }
        Some(Self { class, entries, end: at })
    }

    fn entry(&self, index: u16) -> Option<(u8, usize)> {
        self.entries.get(usize::from(index)).copied()
    }

    fn text(&self, index: u16) -> Option<&'a [u8]> {
        let (tag, at) = self.entry(index)?;
        let length = usize::from(u16_at(self.class, at)?);
        (tag == UTF8).then(|| self.class.get(at + 2..at + 2 + length)).flatten()
    }

    fn class_name(&self, index: u16) -> Option<&'a [u8]> {
        let (tag, at) = self.entry(index)?;
        (tag == CLASS).then(|| self.text(u16_at(self.class, at)?)).flatten()
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}
