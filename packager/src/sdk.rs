//! What extensions and probes are compiled against: the classes of a base that the bootstrap loader or every masked loader sees.

use crate::base::Base;
use crate::paths;

/// The classes of `base`: each one's path in an ordinary jar, and the index of its entry.
pub(crate) fn classes(base: &Base) -> impl Iterator<Item = (String, usize)> {
    base.archive.entries().iter().enumerate().filter_map(|(index, entry)| {
        let root = entry.name.strip_suffix(paths::CLASS_SUFFIX).filter(|name| !name.starts_with(paths::META_INF));
        let shared = entry.name.strip_prefix(paths::SHARED).and_then(|name| name.strip_suffix(paths::MASKED_SUFFIX));
        Some((format!("{}{}", root.or(shared)?, paths::CLASS_SUFFIX), index))
    })
}
