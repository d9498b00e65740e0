//! `fatagent extension …`: what authors of extensions do.

pub mod build;
pub mod check;
pub mod lint;
