//! Numbers of direct sites: woven code that can hold no invokedynamic passes a number instead.

use std::collections::HashMap;
use std::sync::Mutex;

/// The numbers given so far. They are never used twice, as classes keep theirs until they are retransformed.
#[derive(Default)]
pub(crate) struct Sites(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    numbers: HashMap<String, i32>,
    texts: Vec<String>,
}

impl Sites {
    /// The number of a call name and erased descriptor.
    pub(crate) fn number(&self, name: &str, descriptor: &str) -> i32 {
        let mut inner = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let text = format!("{name} {descriptor}");
        if let Some(&number) = inner.numbers.get(&text) {
            return number;
        }
        let number = i32::try_from(inner.texts.len()).unwrap_or(i32::MAX);
        inner.texts.push(text.clone());
        inner.numbers.insert(text, number);
        number
    }

    /// Call name and descriptor of a number, separated by a space.
    pub(crate) fn text(&self, number: i32) -> Option<String> {
        let inner = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        inner.texts.get(usize::try_from(number).ok()?).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::Sites;

    #[test]
    fn numbers_are_stable() {
        let sites = Sites::default();
        assert_eq!(sites.number("1:0:a", "()V"), 0);
        assert_eq!(sites.number("1:0:a", "(I)V"), 1);
        assert_eq!(sites.number("1:0:a", "()V"), 0);
        assert_eq!(sites.text(1).as_deref(), Some("1:0:a (I)V"));
        assert_eq!(sites.text(2), None);
        assert_eq!(sites.text(-1), None);
    }
}
