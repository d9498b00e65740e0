//! The harness of the end-to-end tests.
//!
//! A test is a plain `#[test]` whose body runs inside [`e2e_test`] or [`each_jdk`]. They give it a folder of its own,
//! run it within a limit, and arm the stall watchdog ([`stall`]). Every process is started as a [`Target`], which
//! registers it at launch, so that a stall names what each process was doing and nothing outlives its test. Waits end
//! on the content asked for; a wait that times out fails and shows both streams.
//!
//! Environment:
//! - `FATAGENT_TEST_JDKS=11,17,21,25`: exactly these Java releases are required, missing ones are fetched.
//! - `FATAGENT_TEST_CACHE`: where fetched JDKs and artifacts are kept, `<target>/cache` by default.
//! - `FATAGENT_TEST_LIMIT_SECS`: the limit of each test, 240 by default.
//! - `FATAGENT_STALL_SECS`: when the watchdog looks, by default well before the limit.

#![allow(dead_code, reason = "a toolbox: not every test build uses every tool")]

mod agent;
mod folders;
mod jvm;
mod maven;
mod missing;
mod provision;
mod registry;
pub(crate) mod stall;
mod stall_frame;
mod streams;
mod target;
mod test;

#[allow(unused_imports, reason = "the toolbox's table of contents")]
pub(crate) use self::{
    agent::{AgentProject, BuiltAgent, fatagent},
    folders::{cache_folder, copy_tree, once, process_folder, stall_dumps, target_folder},
    jvm::{Jdk, jdks, with_jdk},
    maven::{libraries, maven_artifact, maven_file_name},
    missing::missing,
    provision::provision,
    registry::{Process, current_test, remove_stale, step},
    stall_frame::{Frame, write_frame},
    target::{Builder, Output, Target, scrub},
    test::{Settings, Test, e2e_test, e2e_test_with, each_jdk, each_jdk_of, panic_message},
};
