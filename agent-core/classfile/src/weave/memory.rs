//! Memory that one class after the other is woven in, so that it is neither asked for nor given back for each.

use super::Plan;
use super::blocks::Blocks;
use crate::code::layout::Layout;
use crate::code::scan::Scan;
use std::sync::{Mutex, PoisonError};

/// Nothing of it matters before it is filled.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) plan: Plan,
    pub(super) scan: Scan,
    pub(super) blocks: Blocks,
    pub(super) layout: Layout,
    /// The class behind its constant pool.
    pub(super) body: Vec<u8>,
}

/// What is kept for the next class: one for the process. Who finds none, as others weave at the same time, makes its own.
static SPARE: Mutex<Option<Box<Memory>>> = Mutex::new(None);
/// Of a larger class, in bytes, nothing is kept.
const MAX_KEPT: usize = 256 << 10;

impl Memory {
    pub(super) fn take() -> Box<Self> {
        SPARE.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }

    pub(super) fn keep(mut self: Box<Self>) {
        self.plan.clear();
        self.body.clear();
        if self.body.capacity() <= MAX_KEPT {
            *SPARE.lock().unwrap_or_else(PoisonError::into_inner) = Some(self);
        }
    }
}
