//! The reader, the weaver and the editor against real compilers and real JVMs.

mod assemble;
mod behaviour;
mod corpus;
mod editing;
mod handmade;
mod harness;
mod mutation;
mod old;
#[path = "../planners/mod.rs"]
mod planners;
mod programs;
mod reading;
mod sites;
mod sites_handmade;
#[path = "../targets/mod.rs"]
mod targets;
