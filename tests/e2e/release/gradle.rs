//! The Gradle plugins that a tarball carries: found in the local repository, as is the program itself.

use std::time::Duration;

use super::installed::{SHOP, TALLY, TALLY_IMPL, TRACE, write};
use super::machine::Machine;
use crate::harness::{Settings, cache_folder, e2e_test_with, step};

/// The oldest Gradle that the plugins work with.
const GRADLE: &str = "7.6.4";
/// Gradle may have to be fetched.
const LIMIT: Duration = Duration::from_mins(15);

const SETTINGS: &str = "pluginManagement {
  repositories { mavenLocal() }
  plugins {
    id 'io.btrace.fat-agent' version 'VERSION'
    id 'io.btrace.extension' version 'VERSION'
  }
}
include 'tally'
";

const AGENT: &str = "plugins { id 'io.btrace.fat-agent' }
version = '1.0.0'
repositories { mavenLocal() }
btraceFatAgent {
  baseName = 'shop-agent'
  embedExtensions { project(':tally') }
  probes { source 'probes' }
  args = [probes: 'PayTrace']
}
";

const EXTENSION: &str = "plugins { id 'io.btrace.extension' }
version = '1.0.0'
repositories { mavenLocal() }
tasks.withType(JavaCompile).configureEach { options.release = 8; options.compilerArgs << '-Xlint:-options' }
btraceExtension {
  id = 'shop'
  services = ['shop.Tally']
}
";

#[test]
fn an_agent_is_built_with_gradle_and_runs() {
    e2e_test_with("Gradle from a tarball", &Settings::within(LIMIT, None), |test| {
        step("Gradle itself");
        let gradle = fixtures::gradle_home(&cache_folder(), GRADLE).unwrap_or_else(|error| panic!("{error}"));
        let machine = Machine::new(test);
        test.run(machine.command("fatagent").args(["sdk", "install"])).expect_code(0);
        let project = test.folder().join("project");
        let settings = SETTINGS.replace("VERSION", env!("CARGO_PKG_VERSION"));
        let files = [
            ("settings.gradle", settings.as_str()),
            ("build.gradle", AGENT),
            ("probes/shop/PayTrace.java", TRACE),
            ("tally/build.gradle", EXTENSION),
            ("tally/src/main/java/shop/Tally.java", TALLY),
            ("tally/src/main/java/shop/TallyImpl.java", TALLY_IMPL),
            ("app/shop/Shop.java", SHOP),
        ];
        write(&project, &files);
        let mut command = machine.with_shell().gradle(&gradle, &project);
        test.run(command.args(["--no-daemon", "--stacktrace", "fatAgentJar"])).expect_code(0);

        test.run(machine.command("javac").current_dir(&project).args(["-d", "app", "app/shop/Shop.java"]))
            .expect_code(0);
        let mut java = machine.command("java");
        java.current_dir(&project).arg("-javaagent:build/libs/shop-agent.jar=scriptOutputFile=trace.txt");
        let run = test.run(java.args(["-cp", "app", "shop.Shop"])).expect_code(0);
        assert_eq!(run.stdout, "paid 42\n", "{}", run.stderr);
        let trace = fs_err::read_to_string(project.join("trace.txt")).expect("an output");
        assert_eq!(trace, "probe 21 42 42\n", "{}", run.stderr);
    });
}
