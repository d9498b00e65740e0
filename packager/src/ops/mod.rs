//! What the commands do, without any command line.

pub mod build;
pub mod demo;
pub mod extract;
pub mod inspect;
pub mod mask;
pub mod off;
pub mod verify;
