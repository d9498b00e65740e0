//! 200 JVMs on each JDK, 20 at once, each time on an empty home.
//!
//! `cargo xtask e2e stress` runs this; a plain `cargo test` starts a dozen of them.

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../product.rs"]
#[allow(dead_code, reason = "what these tests need of it")]
mod product;
#[path = "../stress.rs"]
mod stress;

use std::time::Duration;

use harness::{Jdk, Settings, e2e_test_with, jdks};

/// For all starts on one JDK.
const LIMIT: Duration = Duration::from_mins(30);

fn on_each(name: &str, body: impl Fn(&harness::Test, &Jdk) + Copy + Send + 'static) {
    for jdk in jdks() {
        let settings = Settings::within(LIMIT, None);
        e2e_test_with(&format!("{name} on {}", jdk.feature), &settings, move |test| body(test, &jdk));
    }
}

#[test]
fn two_hundred_jvms_start_in_batches() {
    on_each("200 starts", |test, jdk| stress::start(test, jdk, 10, 20));
}

#[test]
fn a_lambda_in_the_way_into_the_agent_is_seen() {
    on_each("lambda in the start", stress::control);
}
