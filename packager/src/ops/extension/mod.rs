//! `fatagent extension …`: what authors of extensions do.

pub mod build;
