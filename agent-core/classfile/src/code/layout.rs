//! Lays code out again with insertions and replacements, and knows where everything went.

use super::MAX_CODE;
use super::opcode::{self, GOTO, GOTO_W, JSR_W, LOOKUPSWITCH, TABLESWITCH};
use super::reach::{Reach, with_room};
use super::scan::{Scan, each_target};
use crate::bytes::{put2, put4};
use crate::weave::Skip;
use std::collections::BTreeSet;

/// Straight-line code to put before the original instruction at `at`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Insertion<'i> {
    /// Offset of an original instruction.
    pub(crate) at: usize,
    /// Runs only when control falls through to `at`; jumps to `at` skip it.
    pub(crate) falling: &'i [u8],
    /// Runs however control arrives.
    pub(crate) always: &'i [u8],
    /// Stands for the instruction itself, which must be no jump.
    pub(crate) instead: Option<&'i [u8]>,
}

impl Insertion<'_> {
    /// Bytes of everything inserted.
    pub(super) fn len(&self) -> usize {
        self.falling.len() + self.always.len() + self.instead.map_or(0, <[u8]>::len)
    }
}

/// Where an offset of the original code went; each a new offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// End of the original instruction before it.
    pub(crate) before: usize,
    /// Where jumps to it go.
    pub(crate) label: usize,
    /// The original instruction.
    pub(crate) instruction: usize,
}

/// New code and the way from old offsets to new ones.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The code: the original instructions, the insertions, and the appended part.
    pub(crate) code: Vec<u8>,
    /// End of what was original; the appended part begins here.
    pub(crate) end: usize,
    /// Offsets at which the distance between old and new changes.
    points: Vec<(usize, Place)>,
    /// Inserted `goto_w` instructions that far jumps take: original target and own new offset, ascending by the latter.
    pub(crate) steps: Vec<(usize, usize)>,
    reach: Reach,
}

impl Layout {
    /// `insertions` ascend, at most one for each offset. `appended` goes behind the last instruction.
    pub(crate) fn new(code: &[u8], scan: &Scan, insertions: &[Insertion<'_>], appended: &[u8]) -> Result<Self, Skip> {
        let mut layout = Self::default();
        layout.lay(code, scan, insertions, appended)?;
        Ok(layout)
    }

    /// Lays out other code, into the same memory.
    pub(crate) fn lay(
        &mut self,
        code: &[u8],
        scan: &Scan,
        insertions: &[Insertion<'_>],
        appended: &[u8],
    ) -> Result<(), Skip> {
        if !self.reach.is_empty() || !Reach::is_short(code, scan, insertions) {
            self.reach = Reach::find(code, scan, insertions)?;
        }
        let room = self.reach.room();
        let insertions = with_room(insertions, &room);
        let memory = std::mem::take(&mut self.points);
        self.points = place(code, scan, &insertions, &self.reach.wide, memory)?;
        self.steps = self.reach.steps(&self.points);
        self.end = self.of(code.len()).before;
        let size = self.end + appended.len();
        if size > MAX_CODE {
            return Err(Skip::CodeTooLarge { limit: MAX_CODE, size });
        }
        let mut out = std::mem::take(&mut self.code);
        out.clear();
        out.reserve(size);
        let mut done = 0;
        let mut jumps = scan.jumps.iter().copied().peekable();
        for insertion in insertions.iter() {
            while let Some(jump) = jumps.next_if(|&jump| jump < insertion.at) {
                out.extend_from_slice(&code[done..jump]);
                done = self.write_jump(code, jump, &mut out)?;
            }
            out.extend_from_slice(&code[done..insertion.at]);
            out.extend_from_slice(insertion.falling);
            out.extend_from_slice(insertion.always);
            done = insertion.at;
            if let Some(instead) = insertion.instead {
                out.extend_from_slice(instead);
                done += opcode::length(code, insertion.at)?;
            }
        }
        for jump in jumps {
            out.extend_from_slice(&code[done..jump]);
            done = self.write_jump(code, jump, &mut out)?;
        }
        out.extend_from_slice(&code[done..]);
        out.extend_from_slice(appended);
        debug_assert_eq!(out.len(), size);
        self.code = out;
        for index in 0..self.steps.len() {
            let (target, at) = self.steps[index];
            self.point(at, target);
        }
        Ok(())
    }

    /// Where the original offset went; `offset` is the start of an instruction or the end of the code.
    pub(crate) fn of(&self, offset: usize) -> Place {
        place_of(&self.points, offset)
    }

    /// The parts of the new code that hold the original instructions of `start..end`, without anything inserted.
    pub(crate) fn split(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let first = self.points.partition_point(|point| point.0 <= start);
        let last = self.points.partition_point(|point| point.0 < end);
        let mut from = self.of(start).instruction;
        let inner = self.points[first..last].iter().filter(|(_, place)| place.before != place.instruction);
        let stop = self.of(end).before;
        inner
            .map(|(_, place)| (place.before, place.instruction))
            .chain([(stop, stop)])
            .map(move |(to, next)| (std::mem::replace(&mut from, next), to))
    }

    /// Lets the `goto_w` at that offset of the appended part jump to where an original offset went.
    pub(crate) fn point_goto_w(&mut self, appended: usize, target: usize) {
        self.point(self.end + appended, target);
    }

    /// The same for one at any new offset.
    fn point(&mut self, at: usize, target: usize) {
        let distance = self.of(target).label.cast_signed() - at.cast_signed();
        self.code[at + 1..at + 5].copy_from_slice(&(distance as i32).to_be_bytes());
    }

    /// Writes the jump or switch at `at` with its new distances; returns the old offset behind it.
    fn write_jump(&self, code: &[u8], at: usize, out: &mut Vec<u8>) -> Result<usize, Skip> {
        let here = self.of(at).instruction;
        debug_assert_eq!(out.len(), here);
        let next = at + opcode::length(code, at)?;
        let distance = |target: usize| self.of(target).label.cast_signed() - here.cast_signed();
        if self.reach.wide.contains(&at) {
            out.push(if code[at] == GOTO { GOTO_W } else { JSR_W });
            each_target(code, at, |target| {
                put4(out, (distance(target) as i32).cast_unsigned());
                Ok::<_, Skip>(())
            })?;
            return Ok(next);
        }
        out.push(code[at]);
        match code[at] {
            TABLESWITCH | LOOKUPSWITCH => {
                out.resize(opcode::switch_operands(here), 0);
                let operands = opcode::switch_operands(at);
                // Each target is followed or preceded by what is copied: bounds after the default, keys before each pair's target.
                let mut copied = operands + 4;
                let mut first = true;
                each_target(code, at, |target| {
                    if !first && code[at] == LOOKUPSWITCH {
                        out.extend_from_slice(&code[copied..copied + 4]);
                        copied += 8;
                    }
                    put4(out, (distance(target) as i32).cast_unsigned());
                    if first {
                        let header = if code[at] == TABLESWITCH { 8 } else { 4 };
                        out.extend_from_slice(&code[copied..copied + header]);
                        copied += header;
                        first = false;
                    }
                    Ok::<_, Skip>(())
                })?;
            }
            GOTO_W | JSR_W => each_target(code, at, |target| {
                put4(out, (distance(target) as i32).cast_unsigned());
                Ok::<_, Skip>(())
            })?,
            _ => each_target(code, at, |target| {
                let step = self.reach.by_way(&self.points, at);
                let distance = step.map_or_else(|| distance(target), |step| step.cast_signed() - here.cast_signed());
                let short =
                    i16::try_from(distance).map_err(|_| Skip::JumpTooFar { offset: at, distance: distance as i64 })?;
                put2(out, short.cast_unsigned());
                Ok::<_, Skip>(())
            })?,
        }
        Ok(next)
    }
}

/// Where the original offset went, by the points of [`place`].
pub(super) fn place_of(points: &[(usize, Place)], offset: usize) -> Place {
    match points.binary_search_by_key(&offset, |point| point.0) {
        Ok(exact) => points[exact].1,
        Err(0) => Place { before: offset, label: offset, instruction: offset },
        Err(next) => {
            let (at, place) = points[next - 1];
            let new = place.instruction + (offset - at);
            Place { before: new, label: new, instruction: new }
        }
    }
}

/// Computes the points, in the memory given; `wide` are the jumps that take their long form.
pub(super) fn place(
    code: &[u8],
    scan: &Scan,
    insertions: &[Insertion<'_>],
    wide: &BTreeSet<usize>,
    mut points: Vec<(usize, Place)>,
) -> Result<Vec<(usize, Place)>, Skip> {
    points.clear();
    points.reserve(insertions.len());
    // New offset minus old offset, for what follows the last point.
    let mut shift = 0isize;
    let new = |old: usize, shift: isize| old.wrapping_add_signed(shift);
    // An instruction whose length changed ends here; an insertion may follow at the same offset.
    let end_point = |points: &mut Vec<(usize, Place)>, at: usize, shift: isize| {
        let to = new(at, shift);
        points.push((at, Place { before: to, label: to, instruction: to }));
    };
    let changes = |at: usize| matches!(code[at], TABLESWITCH | LOOKUPSWITCH) || wide.contains(&at);
    let mut switches = scan.jumps.iter().copied().filter(|&at| changes(at)).peekable();
    let switch = |points: &mut Vec<(usize, Place)>, at: usize, shift: &mut isize| {
        let to = new(at, *shift);
        let padding = |at| (opcode::switch_operands(at) - at).cast_signed();
        let change = if wide.contains(&at) { 2 } else { padding(to) - padding(at) };
        if change != 0 {
            *shift += change;
            end_point(points, at + opcode::length(code, at)?, *shift);
        }
        Ok::<_, Skip>(())
    };
    for insertion in insertions {
        while let Some(at) = switches.next_if(|&at| at < insertion.at) {
            switch(&mut points, at, &mut shift)?;
        }
        points.pop_if(|point| point.0 == insertion.at);
        let before = new(insertion.at, shift);
        let label = before + insertion.falling.len();
        let instruction = label + insertion.always.len();
        points.push((insertion.at, Place { before, label, instruction }));
        shift += (instruction - before).cast_signed();
        if let Some(instead) = insertion.instead {
            let length = opcode::length(code, insertion.at)?;
            shift += instead.len().cast_signed() - length.cast_signed();
            end_point(&mut points, insertion.at + length, shift);
        }
    }
    for at in switches {
        switch(&mut points, at, &mut shift)?;
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOP: u8 = 0;

    fn insertion<'i>(at: usize, falling: &'i [u8], always: &'i [u8]) -> Insertion<'i> {
        Insertion { at, falling, always, instead: None }
    }

    #[test]
    fn jumps_skip_falling_code_and_run_the_rest() {
        // 0: goto 4; 3: nop; 4: return
        let code = [GOTO, 0, 4, NOP, opcode::RETURN];
        let scan = Scan::new(&code, 0).unwrap();
        let layout =
            Layout::new(&code, &scan, &[insertion(0, &[3, 87], &[]), insertion(4, &[4, 87], &[5, 87])], &[191])
                .unwrap();
        assert_eq!(layout.code, [3, 87, GOTO, 0, 6, NOP, 4, 87, 5, 87, opcode::RETURN, 191]);
        assert_eq!(layout.of(4), Place { before: 6, label: 8, instruction: 10 });
        assert_eq!(layout.of(3).instruction, 5);
        assert_eq!(layout.end, 11);
        assert_eq!(layout.split(0, 5).collect::<Vec<_>>(), [(2, 6), (10, 11)]);
        assert_eq!(layout.split(0, 4).collect::<Vec<_>>(), [(2, 6)]);
        assert_eq!(layout.split(4, 5).collect::<Vec<_>>(), [(10, 11)]);
    }

    #[test]
    fn switches_keep_their_alignment() {
        for shift in 0..8 {
            let mut code = vec![TABLESWITCH, 0, 0, 0];
            for word in [20i32, 0, 0, 20] {
                code.extend(word.to_be_bytes());
            }
            code.push(opcode::RETURN);
            // An offset of 20 is the return: 4 + 16.
            let scan = Scan::new(&code, 0).unwrap();
            let nops = vec![NOP; shift];
            let layout = Layout::new(&code, &scan, &[insertion(0, &nops, &[])], &[]).unwrap();
            let again = Scan::new(&layout.code, 0).unwrap();
            assert_eq!(again.jumps, [shift]);
            let mut targets = vec![];
            each_target(&layout.code, shift, |target| {
                targets.push(target);
                Ok::<_, Skip>(())
            })
            .unwrap();
            assert_eq!(targets, [layout.of(20).label; 2]);
            assert_eq!(layout.code[layout.of(20).instruction], opcode::RETURN);
        }
    }

    #[test]
    fn a_replacement_moves_what_follows() {
        let code = [opcode::GETSTATIC, 0, 1, opcode::POP, GOTO, 0xFF, 0xFC];
        let scan = Scan::new(&code, 0).unwrap();
        let five = [opcode::INVOKEDYNAMIC, 0, 9, 0, 0];
        let replaced = Insertion { at: 0, falling: &[], always: &[], instead: Some(&five) };
        let layout = Layout::new(&code, &scan, &[replaced], &[]).unwrap();
        assert_eq!(layout.code, [opcode::INVOKEDYNAMIC, 0, 9, 0, 0, opcode::POP, GOTO, 0xFF, 0xFA]);
        assert_eq!(layout.split(0, 7).collect::<Vec<_>>(), [(0, 9)]);
    }

    #[test]
    fn a_jump_that_no_longer_reaches_takes_its_long_form() {
        let mut code = vec![GOTO, 0x7F, 0xFF];
        code.resize(0x7FFF, NOP);
        code.push(opcode::RETURN);
        let scan = Scan::new(&code, 0).unwrap();
        assert!(Layout::new(&code, &scan, &[], &[]).unwrap().code == code);
        let layout = Layout::new(&code, &scan, &[insertion(0x7FFF, &[NOP], &[])], &[]).unwrap();
        assert_eq!(layout.code[..5], [GOTO_W, 0, 0, 0x80, 0x02]);
        assert_eq!(layout.of(0x7FFF).label, 0x8002);
        assert_eq!(layout.code.len(), code.len() + 3);
    }

    #[test]
    fn a_conditional_jump_goes_by_way_of_a_long_one() {
        // 0: ifeq far; 3: return; 4: nop …; far: return
        let mut code = vec![opcode::IFEQ, 0x7F, 0xFF, opcode::RETURN];
        code.resize(0x7FFF, NOP);
        code.push(opcode::RETURN);
        let scan = Scan::new(&code, 0).unwrap();
        let layout = Layout::new(&code, &scan, &[insertion(0x7FFF, &[NOP], &[])], &[]).unwrap();
        assert_eq!(layout.code[..9], [opcode::IFEQ, 0, 4, opcode::RETURN, GOTO_W, 0, 0, 0x80, 0x01]);
        assert_eq!(layout.steps, [(0x7FFF, 4)]);
        // Without a place that control does not fall into there is no such way.
        code[3] = NOP;
        let scan = Scan::new(&code, 0).unwrap();
        let refused = Layout::new(&code, &scan, &[insertion(0x7FFF, &[NOP], &[])], &[]);
        assert_eq!(refused.unwrap_err(), Skip::JumpTooFar { offset: 0, distance: 0x8000 });
    }
}
