//! What extensions and probes are compiled against: the API among the classes that the bootstrap loader sees, and what every masked
//! loader sees. The build script makes the jar of `fatagent sdk install` by the same rule.

use crate::base::Base;
use crate::paths;
use crate::visible_api::is_visible_api;

/// The classes of `base`: each one's path in an ordinary jar, and the index of its entry.
pub(crate) fn classes(base: &Base) -> impl Iterator<Item = (String, usize)> {
    base.archive.entries().iter().enumerate().filter_map(|(index, entry)| {
        let root = entry.name.strip_suffix(paths::CLASS_SUFFIX).filter(|name| is_visible_api(name));
        let shared = entry.name.strip_prefix(paths::SHARED).and_then(|name| name.strip_suffix(paths::MASKED_SUFFIX));
        Some((format!("{}{}", root.or(shared)?, paths::CLASS_SUFFIX), index))
    })
}
