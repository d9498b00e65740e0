//! `fatagent demo`, as a newcomer runs it.

use crate::harness::{e2e_test, fatagent};

#[test]
fn the_demo_shows_the_slow_method_and_the_swallowed_exception() {
    e2e_test("demo", |test| {
        let output = test.run(fatagent().args(["demo", "shop"])).expect_code(0);
        assert!(output.stdout.contains("chargeCard"), "{}\n{}", output.stdout, output.stderr);
        assert!(output.stdout.contains("validateOrder"), "{}\n{}", output.stdout, output.stderr);
        for part in ["fatagent build", "-javaagent:", "chargeCard", "validateOrder"] {
            assert!(output.stderr.contains(part), "`{part}` in:\n{}", output.stderr);
        }
        assert!(test.folder().join("shop/agent.toml").is_file());
        assert!(test.folder().join("shop/DemoApp.java").is_file());
    });
}
