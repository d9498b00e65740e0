//! One project by Maven, Gradle and Cargo.

use std::path::Path;
use std::process::Command;

use crate::gradle::{each_gradle, plugins};
use crate::harness::{fatagent, jdks, scrub};
use crate::maven::{JAR, mvn};
use crate::sample::{Sample, copy, runs};

#[test]
fn three_drivers_give_the_same_bytes() {
    each_gradle("three drivers", |test, gradle| {
        let sample = Sample::new(test, test.folder());
        let bytes = |path: &Path| fs_err::read(path).unwrap_or_else(|error| panic!("{error}"));

        // Both the plugins and the extension `acme-tags` are in one local repository.
        let repository = test.folder().join("m2");
        copy(plugins(), &repository);
        copy(&sample.repository, &repository);
        let option = format!("-Dmaven.repo.local={}", repository.display());
        gradle.build(&sample.folder, &[":agent:fatAgentJar", &option]).expect(":agent:fatAgentJar", "SUCCESS");
        let by_gradle = sample.folder.join("agent/build/libs").join(JAR);

        // From what Gradle compiled.
        let by_cargo = test.folder().join("cargo").join(JAR);
        fs_err::create_dir_all(test.folder().join("cargo")).expect("a folder");
        let mut cargo = Command::new(Path::new(fatagent().get_program()).with_file_name("cargo-fatagent"));
        cargo.args(["fatagent", "build", "--manifest-path", "agent/Cargo.toml", "-o"]).arg(&by_cargo);
        cargo.current_dir(&sample.folder).env("FATAGENT_MAVEN_REPOSITORY", &repository);
        test.run(scrub(&mut cargo)).expect_code(0);
        assert!(bytes(&by_cargo) == bytes(&by_gradle), "Cargo builds another jar than Gradle");

        // And from what Maven compiles itself.
        let folder = test.folder().join("for Maven");
        fs_err::create_dir_all(&folder).expect("a folder");
        let own = Sample::new(test, &folder);
        mvn(test, &own, &["package"]).expect_code(0);
        let by_maven = own.folder.join("agent/target").join(JAR);
        assert!(bytes(&by_maven) == bytes(&by_gradle), "Maven builds another jar than Gradle");

        for jdk in jdks() {
            runs(test, &jdk, &by_gradle, &own);
        }
    });
}
