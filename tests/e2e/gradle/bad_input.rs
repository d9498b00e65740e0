//! Builds that cannot work say why.

use std::os::unix::fs::PermissionsExt;

use super::build::{PLUGIN, each_gradle, path_without_fatagent, write};

const AGENT: &str = "plugins { id 'io.btrace.fat-agent' }\nbtraceFatAgent { baseName = 'a' }\n";

#[test]
fn a_program_that_is_missing_or_of_another_version_is_named() {
    each_gradle("no program", |test, gradle| {
        let folder = test.folder().join("no program");
        write(&folder, "", &[("build.gradle", AGENT)]);
        gradle
            .run("fail", &folder, &path_without_fatagent(), &["fatAgentJar"])
            .expect(":fatAgentJar", "FAILED")
            .says("the program `fatagent` was not found")
            .says("hint: put it into PATH, set `fatagent.executable=");
        gradle
            .fail(&folder, &["fatAgentJar", "-Pfatagent.executable=nowhere/fatagent"])
            .says("the program does not exist: ")
            .says("hint: correct the Gradle property `fatagent.executable`");
        let old = folder.join("fatagent");
        fs_err::write(&old, "#!/bin/sh\necho fatagent 0.0.1\n").expect("a program");
        fs_err::set_permissions(&old, PermissionsExt::from_mode(0o755)).expect("its mode");
        gradle
            .fail(&folder, &["fatAgentJar", "-Pfatagent.executable=fatagent"])
            .says(&format!("this plugin is of version {PLUGIN}, but "))
            .says("says that it is `fatagent 0.0.1`");
        assert!(!folder.join("build/libs/a.jar").exists());
    });
}

#[test]
fn what_the_script_says_wrong_is_named() {
    each_gradle("wrong scripts", |test, gradle| {
        let folder = test.folder().join("wrong");
        let agent = |more: &str| {
            format!("plugins {{ id 'io.btrace.fat-agent' }}\nbtraceFatAgent {{\n  baseName = 'a'\n  {more}\n}}\n")
        };
        for (more, messages) in [
            ("basename = 'a'", &["Could not set unknown property 'basename'", "btraceFatAgent"][..]),
            ("embedExtensions { project(':absent') }", &["there is no project `:absent` to embed"]),
            (
                "embedExtensions { project(':plain') }",
                &["project `:plain` is not an extension", "hint: apply the plugin `io.btrace.extension`"],
            ),
            ("embedExtensions { file('absent.zip') }", &["absent.zip"]),
            ("embedExtensions { maven('com.acme:absent:1') }", &["com.acme:absent:1"]),
            ("embedExtensions { jar('a.jar') }", &["Could not find method jar()"]),
            ("agentJarTask = 'absent'", &["'absent' not found"]),
            ("agentJarTask = ordinary", &["masked", "hint: "]),
            ("agentJarTask = 5", &["`agentJarTask` of `btraceFatAgent` is neither a task nor the name of one: 5"]),
            (
                "args = [probes: 'Absent']",
                &["`[args]` names a probe that the agent does not embed: `Absent`", "hint: embed it"],
            ),
            ("probes { compiled 'absent' }", &["a probe of `:fatAgentJar` does not exist"]),
        ] {
            let script = agent(more).replace(
                "btraceFatAgent",
                "def ordinary = tasks.register('ordinary', Zip) { archiveFileName = 'ordinary.jar'; destinationDirectory = layout.buildDirectory; from('settings.gradle') }\nbtraceFatAgent",
            );
            write(&folder, "include 'plain'", &[("build.gradle", &script), ("plain/build.gradle", "")]);
            crate::harness::step(more);
            let built = gradle.fail(&folder, &["fatAgentJar"]);
            for message in messages {
                assert!(built.output.contains(message), "{more}: no `{message}` in\n{}", built.output);
            }
        }
    });
}

#[test]
fn two_tasks_may_not_write_one_jar() {
    each_gradle("two tasks", |test, gradle| {
        let folder = test.folder().join("two");
        let script = format!(
            "{AGENT}tasks.register('other', io.btrace.gradle.FatAgentJar) {{\n  fatagent.from(tasks.fatAgentJar.fatagent)\n  \
             agentName = 'b'\n  agentVersion = '1'\n  archiveFile = tasks.fatAgentJar.archiveFile\n}}\n"
        );
        write(&folder, "", &[("build.gradle", &script)]);
        gradle
            .fail(&folder, &["fatAgentJar", "other"])
            .says("`:fatAgentJar` and `:other` both write ")
            .says("hint: set `archiveFile` of one of them");
        gradle.build(&folder, &["fatAgentJar"]).expect(":fatAgentJar", "SUCCESS");
    });
}
