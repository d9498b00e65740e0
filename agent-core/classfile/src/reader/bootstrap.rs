//! The `BootstrapMethods` attribute.

use crate::Error;
use crate::bytes::{Cursor, get2};

/// A bootstrap method and its static arguments, as indexes of constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrap<'a> {
    /// Index of the method handle.
    pub handle: u16,
    arguments: &'a [u8],
}

impl<'a> Bootstrap<'a> {
    /// Indexes of the arguments.
    pub fn arguments(&self) -> impl Iterator<Item = u16> + 'a {
        self.arguments.chunks_exact(2).map(|index| get2(index, 0))
    }
}

pub(super) fn read(data: &[u8], offset: usize) -> Result<Vec<Bootstrap<'_>>, Error> {
    let mut cursor = Cursor::new(data, offset);
    let count = usize::from(cursor.u2()?);
    let mut methods = Vec::with_capacity(count.min(cursor.remaining() / 4));
    for _ in 0..count {
        let handle = cursor.u2()?;
        let arguments = usize::from(cursor.u2()?);
        methods.push(Bootstrap { handle, arguments: cursor.take(2 * arguments)? });
    }
    Ok(methods)
}
