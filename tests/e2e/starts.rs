//! A few JVMs at once; `cargo xtask e2e stress` starts many.

use crate::harness::each_jdk;
use crate::stress;

#[test]
fn twelve_jvms_start_at_once_on_an_empty_home() {
    each_jdk("twelve starts", |test, jdk| stress::start(test, jdk, 1, 12));
}

#[test]
fn a_lambda_in_the_way_into_the_agent_is_seen() {
    each_jdk("lambda in the start", stress::control);
}
