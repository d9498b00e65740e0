//! What this program carries for those who compile against it.

pub mod install;
pub mod jar;
