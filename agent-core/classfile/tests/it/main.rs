//! The weaver against real compilers and real JVMs.

mod behaviour;
mod corpus;
mod harness;
mod programs;
