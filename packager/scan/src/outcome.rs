//! What one pass over the classes finds, before it is known what can be reached.

use crate::permissions::Permissions;
use crate::report::Use;

/// Something that needs permissions.
#[derive(Debug, Clone)]
pub(crate) struct Raw {
    pub(crate) class: u32,
    /// Index of the method, or [`NO_METHOD`] for what the class itself is.
    pub(crate) method: u32,
    pub(crate) how: Use,
    pub(crate) permissions: Permissions,
    pub(crate) target: Target,
    pub(crate) why: &'static str,
}

impl Raw {
    /// Where it is.
    pub(crate) fn place(&self) -> (u32, u32) {
        (self.class, self.method)
    }
}

/// What is used.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// The constant of that index of the class.
    Constant(u16),
    /// A name.
    Text(String),
}

/// Something that cannot be scanned.
#[derive(Debug, Clone)]
pub(crate) struct Blind {
    pub(crate) class: u32,
    pub(crate) method: u32,
    pub(crate) target: Target,
    pub(crate) why: String,
}

/// A way into other code that no call shows.
#[derive(Debug, Clone)]
pub(crate) enum Edge {
    /// Everything of the class of that internal name.
    Class(Vec<u8>),
    /// The providers of the service of that internal name; of all services if it is computed.
    Providers(Option<Vec<u8>>),
}

/// For what the class itself is.
pub(crate) const NO_METHOD: u32 = u32::MAX;

/// All that was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) findings: Vec<Raw>,
    pub(crate) blind: Vec<Blind>,
    /// By method.
    pub(crate) edges: Vec<(u32, Edge)>,
}

impl Found {
    pub(crate) fn append(&mut self, mut other: Self) {
        self.findings.append(&mut other.findings);
        self.blind.append(&mut other.blind);
        self.edges.append(&mut other.edges);
    }
}
