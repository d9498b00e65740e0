//! The plugins in a later Gradle, without a build.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use super::build::plugin_jar;
use crate::harness::{Jdk, Settings, Target, cache_folder, e2e_test_with};

/// The newest version that projects can be made in memory with.
const GRADLE: &str = "8.10";
const JAVA: u32 = 17;
const PATIENCE: Duration = Duration::from_mins(3);
const LIMIT: Duration = Duration::from_mins(15);

const EVALUATE: (&str, &str) = ("Evaluate.java", include_str!("../../gradle/Evaluate.java"));

#[test]
fn both_plugins_evaluate_in_memory() {
    e2e_test_with("plugins in memory", &Settings::within(LIMIT, None), |test| {
        let home = fixtures::gradle_home(&cache_folder(), GRADLE).unwrap_or_else(|e| panic!("{e}"));
        // The jars that tell modules apart are asked for too.
        let files = fs_err::read_dir(home.join("lib")).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut api: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "jar")).collect();
        api.sort();
        let class_path = env::join_paths(api.iter().map(PathBuf::as_path).chain([plugin_jar()])).expect("a class path");
        let class_path = class_path.to_str().expect("UTF-8");
        let classes = test.compile_with(&[EVALUATE], &["--release", "17", "-cp", class_path]);
        let folder = test.folder().join("project").canonicalize().unwrap_or_else(|_| test.folder().join("project"));
        fs_err::create_dir_all(folder.join("member")).expect("a folder");
        let jdk = Jdk::of(JAVA);
        let mut builder = Target::builder(&jdk).class_path(&classes).class_path(plugin_jar());
        for jar in &api {
            builder = builder.class_path(jar);
        }
        let output = builder
            .jvm_option("--add-opens=java.base/java.lang=ALL-UNNAMED")
            .main("Evaluate")
            .arg(&folder)
            .launch()
            .patience(PATIENCE)
            .wait_exit()
            .expect_code(0);
        let expected = "id member 3.2.1\nshaded {org.dep=shaded.dep}\npermissions {NETWORK=sends}\ntask packageExtension\n\
                        task extensionApiJar\ntask extensionImplJar\ntask extensionZip\ntask fatagentSdk\n\
                        jar build/libs/btrace-agent-fat.jar\nzips member-3.2.1-extension.zip\nrelocations {a=b}\n";
        assert_eq!(output.stdout, expected, "{}", output.stderr);
    });
}
