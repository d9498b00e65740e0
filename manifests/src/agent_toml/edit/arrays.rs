//! Elements of arrays, with the comments of the others and the way in which the array is written.

use toml_edit::{Array, Value};

/// Indentation where an array has no element to learn from.
const INDENT: &str = "    ";

/// Adds `value` at the end, on a line of its own where the others have one.
pub(super) fn push(array: &mut Array, mut value: Value) {
    let indent = array.iter().last().map(|last| after_break(&prefix(last)).map(str::to_owned));
    let tail = take_tail(array);
    let (before, after) = match indent {
        // What stands in an empty array, or on one line.
        None if !tail.contains('\n') => (String::new(), tail),
        Some(None) if !tail.contains('\n') => (" ".to_owned(), tail),
        indent => {
            let indent = indent.flatten().unwrap_or_else(|| INDENT.to_owned());
            let (comments, end) = tail.rsplit_once('\n').unwrap_or(("", &tail));
            (format!("{comments}\n{indent}"), format!("\n{end}"))
        }
    };
    let was_empty = array.is_empty();
    value.decor_mut().set_prefix(before);
    if was_empty && after.contains('\n') {
        array.set_trailing_comma(true);
    }
    value.decor_mut().set_suffix("");
    array.push_formatted(value);
    set_tail(array, &after);
}

/// Removes an element with the comments that are its own: those directly above it and on its line.
pub(super) fn remove(array: &mut Array, place: usize) {
    let tail = take_tail(array);
    let removed = array.remove(place);
    // A comment after the comma, on the line of the element before.
    let above = prefix(&removed);
    let (of_other, own) = above.split_once('\n').map_or(("", above.as_str()), |(first, rest)| (first, rest));
    let kept = match super::tables::apart(own) {
        "" => of_other.to_owned(),
        apart => format!("{of_other}\n{}", apart.strip_suffix('\n').unwrap_or(apart)),
    };
    let next = array.get_mut(place);
    let is_last = next.is_none();
    let follows = next.as_deref().map_or(tail.clone(), prefix);
    let follows = match follows.find('\n') {
        Some(end) => format!("{kept}{}", &follows[end..]),
        // On one line, the first element keeps its place.
        None if place == 0 && !is_last => above.clone(),
        None => follows,
    };
    if let Some(next) = next {
        next.decor_mut().set_prefix(follows);
        set_tail(array, &tail);
    } else {
        if array.is_empty() {
            array.set_trailing_comma(false);
        }
        set_tail(array, &follows);
    }
}

/// What stands before the closing bracket: after the last comma, or after the last element.
fn take_tail(array: &mut Array) -> String {
    let trailing = array.trailing().as_str().unwrap_or_default().to_owned();
    array.set_trailing("");
    let count = array.len();
    let Some(last) = count.checked_sub(1).and_then(|last| array.get_mut(last)) else { return trailing };
    let suffix = last.decor().suffix().and_then(|suffix| suffix.as_str()).unwrap_or_default().to_owned();
    last.decor_mut().set_suffix("");
    format!("{suffix}{trailing}")
}

fn set_tail(array: &mut Array, tail: &str) {
    let count = array.len();
    if array.trailing_comma() || count == 0 {
        array.set_trailing(tail);
    } else if let Some(last) = array.get_mut(count - 1) {
        last.decor_mut().set_suffix(tail);
    }
}

fn prefix(value: &Value) -> String {
    value.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned()
}

/// The indentation of what follows the last line break; nothing without one.
fn after_break(text: &str) -> Option<&str> {
    text.rsplit_once('\n').map(|(_, indent)| indent)
}
