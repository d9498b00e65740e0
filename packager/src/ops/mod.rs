//! What the commands do, without any command line.

pub mod build;
pub mod cargo;
pub mod demo;
pub mod diff;
pub mod edit;
pub mod ext;
pub mod extension;
pub mod extract;
pub mod inspect;
pub mod mask;
pub mod merge;
pub mod off;
pub mod publish;
pub mod scan;
pub mod sdk;
pub mod verify;
