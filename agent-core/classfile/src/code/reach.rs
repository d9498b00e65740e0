//! Jumps that would no longer reach: `goto` and `jsr` take their long form, and the others go by way of a `goto_w`.

use super::layout::{Insertion, Place, place, place_of};
use super::opcode::{self, GOTO, GOTO_W, JSR, JSR_W, LOOKUPSWITCH, TABLESWITCH};
use super::scan::{Scan, each_target};
use crate::weave::Skip;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Each round lengthens at least one jump; code of 64 KB settles in a few.
const MAX_ROUNDS: usize = 64;
/// Length of a `goto_w`.
const STEP: usize = 5;

/// How the jumps of a method get to their targets.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Jumps that take their long form.
    pub(super) wide: BTreeSet<usize>,
    /// By an offset that control never falls into: what the `goto_w` instructions before it jump to, all original offsets.
    steps: BTreeMap<usize, Vec<usize>>,
    /// Jumps that go to one of these: its place, and its number there.
    via: BTreeMap<usize, (usize, usize)>,
}

impl Reach {
    /// Finds a way for each jump, with the code as `insertions` lengthen it.
    pub(super) fn find(code: &[u8], scan: &Scan, insertions: &[Insertion<'_>]) -> Result<Self, Skip> {
        let mut reach = Self::default();
        if Self::is_short(code, scan, insertions) {
            return Ok(reach);
        }
        let mut gaps = None;
        for _ in 0..MAX_ROUNDS {
            let room = reach.room();
            let points = place(code, scan, &with_room(insertions, &room), &reach.wide, Vec::new())?;
            let too_far = reach.too_far(code, scan, &points)?;
            if too_far.is_empty() {
                return Ok(reach);
            }
            for &(offset, distance) in &too_far {
                if matches!(code[offset], GOTO | JSR) {
                    reach.wide.insert(offset);
                    continue;
                }
                let gaps = match &mut gaps {
                    Some(gaps) => gaps,
                    none => none.insert(find_gaps(code)?),
                };
                let here = place_of(&points, offset).instruction;
                let nearest = gaps.iter().copied().min_by_key(|&gap| place_of(&points, gap).before.abs_diff(here));
                // Where it already went there in vain, no other gap is nearer.
                let gap = nearest.filter(|&gap| reach.via.get(&offset).is_none_or(|via| via.0 != gap));
                let gap = gap.ok_or(Skip::JumpTooFar { offset, distance })?;
                let mut target = 0;
                each_target(code, offset, |found| {
                    target = found;
                    Ok::<_, Skip>(())
                })?;
                let targets = reach.steps.entry(gap).or_default();
                let number = targets.iter().position(|&known| known == target).unwrap_or_else(|| {
                    targets.push(target);
                    targets.len() - 1
                });
                reach.via.insert(offset, (gap, number));
            }
        }
        Err(Skip::Malformed { offset: 0, what: "jumps that never settle" })
    }

    /// Whether the code is so short that every jump reaches. Switches grow by their padding.
    pub(super) fn is_short(code: &[u8], scan: &Scan, insertions: &[Insertion<'_>]) -> bool {
        let inserted: usize = insertions.iter().map(Insertion::len).sum();
        i16::try_from(code.len() + inserted + 3 * scan.jumps.len()).is_ok()
    }

    /// Whether every jump goes as it did.
    pub(super) fn is_empty(&self) -> bool {
        self.wide.is_empty() && self.steps.is_empty()
    }

    /// Jumps of 16 bits that do not reach, and how far they would have to.
    fn too_far(&self, code: &[u8], scan: &Scan, points: &[(usize, Place)]) -> Result<Vec<(usize, i64)>, Skip> {
        let mut out = Vec::new();
        for &at in &scan.jumps {
            if matches!(code[at], GOTO_W | JSR_W | TABLESWITCH | LOOKUPSWITCH) || self.wide.contains(&at) {
                continue;
            }
            let here = place_of(points, at).instruction;
            each_target(code, at, |target| {
                let to = self.by_way(points, at).unwrap_or_else(|| place_of(points, target).label);
                let distance = to.cast_signed() - here.cast_signed();
                if i16::try_from(distance).is_err() {
                    out.push((at, distance as i64));
                }
                Ok::<_, Skip>(())
            })?;
        }
        Ok(out)
    }

    /// New offset of the step that the jump takes, if it takes one.
    pub(super) fn by_way(&self, points: &[(usize, Place)], jump: usize) -> Option<usize> {
        self.via.get(&jump).map(|&(gap, number)| place_of(points, gap).before + STEP * number)
    }

    /// Room for the steps, by place.
    pub(super) fn room(&self) -> BTreeMap<usize, Vec<u8>> {
        let bytes = |count: usize| [GOTO_W, 0, 0, 0, 0].repeat(count);
        self.steps.iter().map(|(&gap, targets)| (gap, bytes(targets.len()))).collect()
    }

    /// Target of each step, an original offset, and its own new offset; ascending by the latter.
    pub(super) fn steps(&self, points: &[(usize, Place)]) -> Vec<(usize, usize)> {
        let of_gap = |(&gap, targets): (&usize, &Vec<usize>)| {
            let start = place_of(points, gap).before;
            targets.iter().enumerate().map(move |(number, &target)| (target, start + STEP * number)).collect::<Vec<_>>()
        };
        self.steps.iter().flat_map(of_gap).collect()
    }
}

/// The insertions with room for steps. Nothing else falls where control never does.
pub(super) fn with_room<'i>(
    insertions: &'i [Insertion<'i>],
    room: &'i BTreeMap<usize, Vec<u8>>,
) -> Cow<'i, [Insertion<'i>]> {
    if room.is_empty() {
        return Cow::Borrowed(insertions);
    }
    let mut all: BTreeMap<usize, Insertion<'i>> = insertions.iter().map(|piece| (piece.at, *piece)).collect();
    for (&at, falling) in room {
        let none = Insertion { at, falling: &[], always: &[], instead: None };
        all.entry(at).or_insert(none).falling = falling;
    }
    all.into_values().collect()
}

/// Instructions that control never falls into: those behind one that ends it.
fn find_gaps(code: &[u8]) -> Result<Vec<usize>, Skip> {
    let mut gaps = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let next = at + opcode::length(code, at)?;
        if opcode::ends_flow(code[at]) && next < code.len() {
            gaps.push(next);
        }
        at = next;
    }
    Ok(gaps)
}
