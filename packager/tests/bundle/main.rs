//! `fatagent extension build` on real sources, and agents that embed what it makes.

mod api;
mod build;
mod dependencies;
mod describe;
mod embed;
mod hints;
mod inputs;
mod permissions;
#[path = "../support/run.rs"]
mod run;
mod work;
