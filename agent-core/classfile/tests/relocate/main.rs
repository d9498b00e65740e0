//! Relocation against real compilers and real JVMs.

mod cases;
mod harness;
mod jars;
mod module;
mod mutation;
mod program;
mod rules;
mod uses;
