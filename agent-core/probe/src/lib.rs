//! Probes: what a probe class asks for, which methods that means, and how the class is prepared for the target JVM.
//!
//! - [`read`] turns the bytes of a precompiled probe class into a [`Probe`];
//! - [`Matcher`] answers for all submitted probes at once which classes they want (a hash look-up for exact names, one
//!   automaton for all regular expressions) and makes the weaving [`Plan`](classfile::weave::Plan) of a method;
//! - [`prepare`] rewrites the probe class so that its handlers can be linked.
//!
//! This version knows the location kinds ENTRY, RETURN and ERROR, and classes and methods by exact name or `/regex/`;
//! everything else in a probe is refused by name, never ignored. Probes are trusted: nothing here checks what a handler
//! does.

mod error;
mod fit;
mod matcher;
mod model;
mod name;
mod prepare;
mod read;

pub use error::Error;
pub use matcher::{ClassMatcher, Matcher, is_refused, needs_direct_calls};
pub use model::{Handler, Injected, Kind, Parameter, Pattern, Probe, ValueType};
pub use name::NamePattern;
pub use prepare::prepare;
pub use read::read;
