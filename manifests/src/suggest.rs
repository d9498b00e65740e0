//! The known name that an unknown one was probably meant to be.

/// Returns the candidate nearest to `name`, when it is near enough to be worth suggesting.
///
/// Distance counts insertions, deletions, substitutions and swaps of neighbours, ignoring case; up to a third of the
/// longer name may differ. Of equally near candidates the first wins.
///
/// ```
/// assert_eq!(manifests::suggest::nearest("verison", ["name", "version"]), Some("version"));
/// assert_eq!(manifests::suggest::nearest("colour", ["name", "version"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other: Vec<char> = candidate.to_lowercase().chars().collect();
        let limit = name.len().max(other.len()).div_ceil(3);
        let distance = distance(&name, &other);
        if distance <= limit && distance < other.len() && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Optimal string alignment distance, which counts a swap of two neighbours as one step.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &left) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &right) in b.iter().enumerate() {
            let substituted = last[j] + usize::from(left != right);
            let mut least = substituted.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && left == b[j - 1] && a[i - 1] == right {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far(a: &str, b: &str) -> usize {
        distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
    }

    #[test]
    fn distance_counts_edits_and_swaps() {
        assert_eq!(far("", ""), 0);
        assert_eq!(far("", "abc"), 3);
        assert_eq!(far("abc", ""), 3);
        assert_eq!(far("kitten", "sitting"), 3);
        assert_eq!(far("verison", "version"), 1);
        assert_eq!(far("ünter", "unter"), 1);
    }

    #[test]
    fn the_nearest_wins_and_ties_go_to_the_first() {
        assert_eq!(nearest("mai", ["main", "mail"]), Some("main"));
        assert_eq!(nearest("NETWROK", ["FILE_READ", "NETWORK"]), Some("NETWORK"));
        assert_eq!(nearest("network", ["NETWORK"]), Some("NETWORK"));
    }

    #[test]
    fn nothing_is_suggested_for_something_else() {
        assert_eq!(nearest("xyz", ["name", "version"]), None);
        assert_eq!(nearest("a", ["b"]), None, "replacing every letter is no resemblance");
        assert_eq!(nearest("name", std::iter::empty()), None);
    }
}
