//! `fatagent merge` on real jars, read back by real JVMs. Tests of reported bugs bear the number of the report.

mod conflicts;
mod containers;
mod descriptors;
mod extensions;
mod manifest;
mod masked;
mod natives;
mod policies;
mod relocation;
#[path = "../support/run.rs"]
mod run;
#[path = "../support/mod.rs"]
mod support;
mod work;
