//! `fatagent merge` on real jars, read back by real JVMs. Tests of reported bugs bear the number of the report.

mod conflicts;
mod containers;
mod descriptors;
mod manifest;
mod relocation;
mod work;
