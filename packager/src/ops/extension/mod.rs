//! `fatagent extension`: what authors of extensions do.

pub mod check;
pub mod lint;
