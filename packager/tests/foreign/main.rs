//! `layout = "foreign"`: jars with a loader that is not ours, started by real JVMs.

mod agent;
mod bases;
mod generated;
mod moves;
mod refusals;
#[path = "../support/run.rs"]
mod run;
mod runs;
#[path = "../merge/work.rs"]
#[expect(dead_code, reason = "it is shared with the tests of `merge`, which need more of it")]
mod work;
