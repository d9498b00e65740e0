//! Finds what a class file before and after relocation has in common.

/// Bytes that both have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// Where they lie before.
    pub(super) old: usize,
    /// Where they lie after.
    pub(super) new: usize,
    pub(super) length: usize,
}

/// Tag of a text, and bytes in front of its content.
const TEXT: u8 = 1;
const HEAD: usize = 3;
/// After something that was inserted as many bytes are as before, and that much may have been inserted.
const RESUMED: usize = 6;
const MOST_INSERTED: usize = 80;
/// Where the constant pool begins.
const POOL: usize = 10;

/// Puts the common runs, in order, into `runs`; nothing if these are no two forms of one class file. What differs within a
/// run does no harm here: it costs compression only.
pub(super) fn align(old: &[u8], new: &[u8], runs: &mut Vec<Run>) -> Option<()> {
    runs.clear();
    let count = u16_at(old, 8)?;
    let (mut i, mut j) = (POOL, POOL);
    // Where the current run began.
    let mut start = (0, 0);
    let mut index = 1;
    while index < count {
        let size = match *old.get(i)? {
            TEXT => {
                let (before, after) = (usize::from(u16_at(old, i + 1)?), usize::from(u16_at(new, j + 1)?));
                if before != after {
                    runs.push(Run { old: start.0, new: start.1, length: i + 1 - start.0 });
                    (i, j) = (i + HEAD, j + HEAD);
                    let contents = (old.get(i..)?.get(..before)?, new.get(j..)?.get(..after)?);
                    let end = align_text(contents.0, contents.1, i, j, runs);
                    (i, j) = (i + before, j + after);
                    start = (i - end, j - end);
                    index += 1;
                    continue;
                }
                HEAD + before
            }
            3 | 4 | 9..=12 | 17 | 18 => 5,
            // These take two indices.
            5 | 6 => {
                index += 1;
                9
            }
            7 | 8 | 16 | 19 | 20 => 3,
            15 => 4,
            _ => return None,
        };
        index += 1;
        i += size;
        j += size;
    }
    // Further texts may stand at the end of the new pool.
    let rest = old.len().checked_sub(i)?;
    let tail = new.len().checked_sub(rest).filter(|&tail| tail >= j)?;
    if tail == j {
        runs.push(Run { old: start.0, new: start.1, length: old.len() - start.0 });
    } else {
        runs.push(Run { old: start.0, new: start.1, length: i - start.0 });
        runs.push(Run { old: i, new: tail, length: rest });
    }
    Some(())
}

/// Puts what two texts have in common but for their ends into `runs`; returns how many bytes they share at the end.
fn align_text(old: &[u8], new: &[u8], old_at: usize, new_at: usize, runs: &mut Vec<Run>) -> usize {
    let (mut i, mut j) = (0, 0);
    loop {
        let length = shared(&old[i..], &new[j..]);
        if i + length == old.len() && j + length == new.len() {
            return length;
        }
        if length > 0 {
            runs.push(Run { old: old_at + i, new: new_at + j, length });
        }
        (i, j) = (i + length, j + length);
        // Most rules put something before a name.
        let rest = &old[i..];
        let name = &rest[..rest.len().min(RESUMED)];
        let inserted = (1..MOST_INSERTED)
            .find(|&more| !name.is_empty() && new[j..].get(more..).is_some_and(|new| new.starts_with(name)));
        match inserted {
            Some(more) => j += more,
            None => return shared_end(rest, &new[j..]),
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn shared(one: &[u8], two: &[u8]) -> usize {
    one.iter().zip(two).take_while(|(a, b)| a == b).count()
}

fn shared_end(one: &[u8], two: &[u8]) -> usize {
    one.iter().rev().zip(two.iter().rev()).take_while(|(a, b)| a == b).count()
}
