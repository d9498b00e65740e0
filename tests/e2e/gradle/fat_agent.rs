//! The plugin `io.btrace.fat-agent`.

use std::path::Path;

use super::build::{Gradle, PLUGIN, each_gradle, path_without_fatagent, write};
use super::sample;
use crate::harness::{AgentProject, Test, jdks, with_jdk};
use fixtures::{entry_names, read_entry};

/// What the probe of the sample writes.
const SAID: &str = "hello x from maven from a file\n";

#[test]
fn an_agent_of_three_origins_is_built_and_runs() {
    each_gradle("an agent of three origins", |test, gradle| {
        let folder = test.folder().join("a sample with spaces and é");
        sample::write(test, &folder);
        gradle
            .build(&folder, &["fatAgentJar"])
            .expect(":fatAgentJar", "SUCCESS")
            .expect(":compileBtraceProbes", "SUCCESS");
        let jar = folder.join("build/libs/sample-agent.jar");
        for jdk in jdks() {
            assert_eq!(sample::run(test, &jdk, &jar), SAID);
        }
        // The same inputs, described for the command line.
        let toml = "[agent]\nname = \"sample-agent\"\nversion = \"2.5.0\"\n[[extension]]\nfile = \"hello.zip\"\n\
                    [[extension]]\nfile = \"maven.zip\"\n[[extension]]\nfile = \"file.zip\"\n\
                    [probes]\ninclude = [\"probes/**/*.class\"]\n[args]\nprobes = \"Work\"\n";
        let read = |path: &str| fs_err::read(folder.join(path)).expect("a file");
        let built = AgentProject::new("sample-agent", toml)
            .file("hello.zip", read("hello/build/libs/hello-1.0.0-extension.zip"))
            .file("maven.zip", read("repo/com/acme/from-maven/1.0.0/from-maven-1.0.0-extension.zip"))
            .file("file.zip", read("vendor/from-file-1.0.0-extension.zip"))
            .tree("probes", &folder.join("build/classes/btraceProbes"))
            .build();
        assert!(fs_err::read(&built.jar).expect("a jar") == fs_err::read(&jar).expect("a jar"), "the jars differ");
    });
}

/// A program in place of `fatagent` that notes that it was started.
fn counting(folder: &Path) -> String {
    let bin = folder.join("bin");
    fs_err::create_dir_all(&bin).expect("a folder");
    let script = format!(
        "#!/bin/sh\necho \"$1\" >> \"{}\"\nexec \"{}\" \"$@\"\n",
        folder.join("started").display(),
        env!("CARGO_BIN_EXE_fatagent")
    );
    let program = bin.join("fatagent");
    fs_err::write(&program, script).expect("a program");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs_err::set_permissions(&program, mode).expect("its mode");
    format!("-Pfatagent.executable={}", program.display())
}

/// How often it was started since last asked.
fn started(folder: &Path) -> usize {
    let file = folder.join("started");
    let count = fs_err::read_to_string(&file).map_or(0, |text| text.lines().count());
    let _none_yet = fs_err::remove_file(file);
    count
}

#[test]
fn nothing_is_done_twice() {
    each_gradle("nothing is done twice", |test, gradle| {
        let folder = test.folder().join("sample");
        sample::write(test, &folder);
        let program = counting(test.folder());
        let cache = test.folder().join("build-cache");
        let settings = fs_err::read_to_string(folder.join("settings.gradle")).expect("the settings");
        let local = format!("{settings}buildCache {{ local {{ directory = '{}' }} }}\n", cache.display());
        fs_err::write(folder.join("settings.gradle"), local).expect("the settings");
        let build = |more: &[&str]| {
            let common = ["fatAgentJar", program.as_str(), "--build-cache", "--configuration-cache", "--parallel"];
            gradle.build(&folder, &[&common, more].concat())
        };
        build(&[]).expect(":fatAgentJar", "SUCCESS").says("Configuration cache entry stored");
        assert!(started(test.folder()) > 0);
        build(&[]).expect(":fatAgentJar", "UP_TO_DATE").says("Reusing configuration cache");
        assert_eq!(started(test.folder()), 0);

        let jar = folder.join("build/libs/sample-agent.jar");
        let first = fs_err::read(&jar).expect("the jar");
        fs_err::remove_dir_all(folder.join("build")).expect("the output");
        fs_err::remove_dir_all(folder.join("hello/build")).expect("the output");
        build(&[]).expect(":fatAgentJar", "FROM_CACHE").expect(":hello:packageExtension", "FROM_CACHE");
        assert_eq!(started(test.folder()), 0);
        assert!(first == fs_err::read(&jar).expect("the jar"));

        // Name, size and time stay; Gradle itself would not look again.
        let zip = folder.join("vendor/from-file-1.0.0-extension.zip");
        let time = fs_err::metadata(&zip).expect("the zip").modified().expect("its time");
        let old = fs_err::read(&zip).expect("the zip");
        let made = test.folder().join("other");
        fs_err::create_dir_all(&made).expect("a folder");
        let new = fs_err::read(sample::zip(&made, "from-file", "f.FromFile", " from a fool")).expect("a zip");
        assert!(old.len() == new.len() && old != new, "{} and {} bytes", old.len(), new.len());
        fs_err::write(&zip, new).expect("the zip");
        fs_err::File::options().write(true).open(&zip).and_then(|file| file.set_modified(time)).expect("its time");
        build(&[]).expect(":fatAgentJar", "SUCCESS");
        for jdk in jdks() {
            assert_eq!(sample::run(test, &jdk, &jar), "hello x from maven from a fool\n");
        }
    });
}

const MEMBER: &str =
    "plugins { id 'io.btrace.extension' }\nversion = '1.0.0'\nbtraceExtension { services = ['NAME.Api'] }\n";

/// Writes a build with three extensions and the agent in a project of its own, as `btrace-dist` is.
fn members(folder: &Path, more: &str) {
    let agent = format!("plugins {{ id 'io.btrace.fat-agent' }}\nbtraceFatAgent {{\n{more}\n}}\n");
    let mut files = vec![("dist/build.gradle".to_owned(), agent)];
    for name in ["alpha", "beta", "gamma"] {
        files.push((format!("extensions/{name}/build.gradle"), MEMBER.replace("NAME", name)));
        let api = format!("package {name};\npublic interface Api {{ }}\n");
        files.push((format!("extensions/{name}/src/main/java/{name}/Api.java"), api));
        let implementation = format!("package {name};\npublic class ApiImpl implements Api {{ }}\n");
        files.push((format!("extensions/{name}/src/main/java/{name}/ApiImpl.java"), implementation));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    write(folder, "include 'dist', 'extensions:alpha', 'extensions:beta', 'extensions:gamma'", &files);
}

/// The extensions in the jar of that build.
fn embedded(folder: &Path) -> Vec<String> {
    let names = entry_names(&folder.join("dist/build/libs/btrace-agent-fat.jar")).expect("the jar");
    let ids = names.iter().filter_map(|name| name.strip_prefix("META-INF/btrace-extensions/"));
    ids.filter_map(|rest| rest.strip_suffix("/extension.properties")).map(str::to_owned).collect()
}

#[test]
fn extensions_are_discovered_and_picked() {
    each_gradle("extensions are discovered", |test, gradle: &Gradle| {
        let folder = test.folder().join("members");
        members(&folder, "  autoDiscover = true");
        gradle.build(&folder, &["fatAgentJar"]);
        assert_eq!(embedded(&folder), ["alpha", "beta", "gamma"]);
        members(&folder, "  autoDiscover = true\n  defaultExtensions = ['alpha', ':extensions:gamma']");
        gradle.build(&folder, &["fatAgentJar"]);
        assert_eq!(embedded(&folder), ["alpha", "gamma"]);
        gradle.build(&folder, &["fatAgentJar", "-PembedExtensions=beta"]);
        assert_eq!(embedded(&folder), ["beta"]);
        members(&folder, "  embedExtensions { project(':extensions:alpha') }");
        gradle.build(&folder, &["fatAgentJar"]);
        assert_eq!(embedded(&folder), ["alpha"]);
        gradle.build(&folder, &["fatAgentJar", "-PembedExtensions=:extensions:beta"]);
        assert_eq!(embedded(&folder), ["alpha", "beta"]);
        gradle
            .fail(&folder, &["fatAgentJar", "-PembedExtensions=delta"])
            .says("`-PembedExtensions=delta` names extensions that cannot be discovered: [delta]")
            .says("hint: there are: [:extensions:alpha, :extensions:beta, :extensions:gamma]");
    });
}

/// A masked jar that a task makes, a further agent on it, and every key that says what the agent does.
#[test]
fn every_key_reaches_the_jar() {
    each_gradle("every key", |test: &Test, gradle| {
        let folder = test.folder().join("keys");
        let agent = r"plugins { id 'io.btrace.fat-agent' }
version = '1.2.3'
def bare = tasks.register('bareJar', io.btrace.gradle.FatAgentJar) {
  fatagent.from(tasks.fatAgentJar.fatagent)
  agentName = 'bare'
  agentVersion = '0.1.0'
  archiveFile = layout.buildDirectory.file('bare/bare.jar')
}
btraceFatAgent {
  agentJarTask = bare
  baseName = 'keys'
  agentVersion = '4.5.6'
  targets = ['TARGET']
  relocations = ['org.dep': 'shaded.{id}.dep']
  relocate 'org.other', 'shaded.other'
  args = [probes: '', stdout: 'true']
  config = ['extensions.autoload': true]
  policy = [grant: ['NETWORK'], sealed: true]
  limits = [maxMethods: 7]
  manifestAttributes = ['Specification-Title': 'Keys \u00e9 ${sys:x}']
  autoDiscover = false
  defaultExtensions = []
}
";
        let agent = agent.replace("TARGET", &format!("{}-gnu", std::env::consts::ARCH));
        write(&folder, "rootProject.name = 'keys'", &[("build.gradle", &agent)]);
        gradle.build(&folder, &["assemble"]).expect(":bareJar", "SUCCESS").expect(":fatAgentJar", "SUCCESS");
        let jar = folder.join("build/libs/keys.jar");
        let text = |name: &str| String::from_utf8(read_entry(&jar, name).expect("the entry")).expect("UTF-8");
        let manifest = text("META-INF/MANIFEST.MF");
        assert!(manifest.contains("Implementation-Version: 4.5.6\r\n"), "{manifest}");
        assert!(manifest.contains("Specification-Title: Keys é ${sys:x}\r\n"), "{manifest}");
        assert!(text("META-INF/btrace/agent.properties").contains("maxMethods=7"));
        assert!(text("META-INF/btrace/extensions.conf").contains("extensions.autoload=true"));
        assert!(text("META-INF/btrace/permissions.properties").contains("sealed=true"));
        let mut verify = crate::harness::fatagent();
        test.run(with_jdk(verify.arg("verify").arg(&jar))).expect_code(0);
    });
}

/// Puts a file into a Maven repository, with a description that says nothing more.
fn publish(repository: &Path, group: &str, artifact: &str, version: &str, end: &str, file: &Path) {
    let folder = repository.join(group.replace('.', "/")).join(artifact).join(version);
    fs_err::create_dir_all(&folder).expect("a folder");
    fs_err::copy(file, folder.join(format!("{artifact}-{version}{end}"))).expect("the file");
    let pom = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version></project>"
    );
    fs_err::write(folder.join(format!("{artifact}-{version}.pom")), pom).expect("a description");
}

/// Neither the program nor the base is on this computer: both are artifacts.
#[test]
fn program_and_base_come_from_a_repository() {
    each_gradle("artifacts", |test, gradle| {
        let folder = test.folder().join("artifacts");
        let agent = "plugins { id 'io.btrace.fat-agent' }\nrepositories { maven { url = uri('repo') } }\n\
                     btraceFatAgent { baseName = 'on-btrace'; btraceVersion = '3.0.0'; agentVersion = '1' }\n";
        write(&folder, "", &[("build.gradle", agent)]);
        let base = AgentProject::new(
            "base",
            "[agent]\nname = \"base\"\nversion = \"3.0.0\"\n[manifest]\nattributes = { Base = \"of BTrace\" }\n",
        );
        let repository = folder.join("repo");
        publish(&repository, "io.btrace", "btrace", "3.0.0", ".jar", &base.build().jar);
        let program = Path::new(env!("CARGO_BIN_EXE_fatagent"));
        let end = format!("-linux-{}.exe", std::env::consts::ARCH);
        publish(&repository, "io.btrace", "fatagent", PLUGIN, &end, program);
        // A repository does not keep the mode.
        let copy = repository.join(format!("io/btrace/fatagent/{PLUGIN}/fatagent-{PLUGIN}{end}"));
        fs_err::set_permissions(&copy, std::os::unix::fs::PermissionsExt::from_mode(0o644)).expect("its mode");
        gradle.run("ok", &folder, &path_without_fatagent(), &["fatAgentJar"]).expect(":fatAgentJar", "SUCCESS");
        let jar = folder.join("build/libs/on-btrace.jar");
        let manifest = String::from_utf8(read_entry(&jar, "META-INF/MANIFEST.MF").expect("a manifest")).expect("UTF-8");
        assert!(manifest.contains("Base: of BTrace\r\n"), "{manifest}");
        gradle.run("ok", &folder, &path_without_fatagent(), &["fatAgentJar"]).expect(":fatAgentJar", "UP_TO_DATE");
    });
}
