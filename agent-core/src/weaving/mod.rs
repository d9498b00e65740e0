//! Which classes are woven, when, and what is kept about them.
//!
//! The [`hook`] sees the bytes of every class. What it cannot decide by them alone, because the supertypes of a class are not
//! known yet, waits in [`pending`] until [`prepared`] sees the class linked, before its code runs. Which handlers take values of
//! a type that is not known yet is decided behind the call, see [`probe::Condition`]. [`supertypes`] keeps what is known,
//! [`ledger`] what was woven. [`loaded`] finds the classes that were there before the probe.

pub(crate) mod hook;
pub(crate) mod ledger;
pub(crate) mod loaded;
mod outline;
pub(crate) mod pending;
pub(crate) mod prepared;
pub(crate) mod sites;
pub(crate) mod supertypes;
