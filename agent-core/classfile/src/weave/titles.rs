//! Names of many methods in one piece of memory.

use std::fmt;

/// Names with their descriptors, as `main([Ljava/lang/String;)V`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Titles {
    text: String,
    /// Where each one ends.
    ends: Vec<usize>,
}

impl Titles {
    pub(super) fn push(&mut self, name: &str, descriptor: &str) {
        if self.ends.is_empty() {
            self.text.reserve(512);
            self.ends.reserve(16);
        }
        self.text.push_str(name);
        self.text.push_str(descriptor);
        self.ends.push(self.text.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Each of them, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.text[start..end])
    }
}

impl fmt::Debug for Titles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
