//! Jars beside the agent: on which path each is found in every start mode, and what is said of those that cannot be used.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::harness::{AgentProject, Builder, Jdk, Target, each_jdk};
use crate::product::{jcmd_load, library};

/// For each line, says of each of its classes who loads it and what it says.
const HOST: &str = r#"package app;
public class Host {
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
            StringBuilder all = new StringBuilder();
            for (String name : line.split(" ")) {
                try {
                    Class<?> type = Class.forName("lib." + name);
                    ClassLoader loader = type.getClassLoader();
                    String by = loader == null ? "boot" : loader == ClassLoader.getSystemClassLoader() ? "system" : "?";
                    all.append(' ').append(name).append('=').append(by).append(':').append(type.getMethod("text").invoke(null));
                } catch (ClassNotFoundException e) {
                    all.append(' ').append(name).append("=none");
                }
            }
            System.out.println("found" + all);
        }
        System.exit(5);
    }
}
"#;

const QUIET: &str = "-Dbtrace.agent.suppressDeprecation=true";

/// Path of a jar, and what the classes in it say.
const JARS: [(&str, &[(&str, &str)]); 9] = [
    ("agent/libs/second.jar", &[("Boot", "second"), ("Other", "second")]),
    ("agent/libs/first.jar", &[("Boot", "first")]),
    ("agent/libs/my lib.jar", &[("System", "listed")]),
    ("agent/libs/prof/boot/b.jar", &[("ProfileBoot", "b")]),
    ("agent/libs/prof/boot/a.jar", &[("ProfileBoot", "a")]),
    ("agent/libs/prof/system/s.jar", &[("ProfileSystem", "s")]),
    ("given/b + %41 é.jar", &[("GivenBoot", "given")]),
    ("given/s.jar", &[("GivenSystem", "given"), ("System", "given")]),
    ("home/libs/app.jar", &[("Hatch", "home")]),
];

/// Everything that the tests read, in one folder.
fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir_in(crate::harness::process_folder()).expect("a folder").keep();
        for (number, (path, classes)) in JARS.iter().enumerate() {
            let sources: Vec<(String, String)> = classes
                .iter()
                .map(|(name, text)| {
                    let body = format!("public static String text() {{ return \"{text}\"; }}");
                    (format!("lib/{name}.java"), format!("package lib; public class {name} {{ {body} }}"))
                })
                .collect();
            let sources: Vec<(&str, &str)> =
                sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            let out = folder.join(format!("classes{number}"));
            fixtures::javac(&sources, &["--release", "8", "-Xlint:-options"], &out).expect("classes");
            fixtures::jar_from_dir(&out, &[("Created-By", "tests")], &folder.join(path)).expect("a jar");
        }
        fs_err::write(folder.join("agent/libs/text.jar"), "no jar").expect("a file");
        let toml = "[agent]\nname = \"libs-agent\"\nversion = \"1\"\n[manifest]\n\
                    boot-libs = [\"first.jar\", \"gone.jar\", \"second.jar\", \"first.jar\"]\n\
                    system-libs = [\"text.jar\", \"my%20lib.jar\"]\n\
                    libs-root = \"libs\"\nlibs-profile = \"prof\"\n";
        let agent = AgentProject::new("libs-agent", toml).build();
        for part in ["`first.jar` of `BTrace-Boot-Libs` is not part of the jar", "`prof` are not part of the jar"] {
            assert!(agent.stderr.contains(part), "{}", agent.stderr);
        }
        fs_err::copy(&agent.jar, folder.join("agent/libs-agent.jar")).expect("a copy");
        fixtures::javac(&[("app/Host.java", HOST)], &["--release", "11", "-Xlint:-options"], &folder.join("host"))
            .expect("classes");
        folder
    })
}

fn jar() -> PathBuf {
    built().join("agent/libs-agent.jar")
}

fn bare() -> PathBuf {
    AgentProject::new("bare", "[agent]\nname = \"bare\"\nversion = \"1\"\n").build().jar
}

fn host(jdk: &Jdk) -> Builder {
    Target::builder(jdk).class_path(built().join("host")).main("app.Host").jvm_option(QUIET)
}

fn agentpath(jar: &Path, arguments: &str) -> String {
    format!("-agentpath:{}=jar={}{arguments}", library().display(), jar.display())
}

/// Asks for classes, and ends the host. What it wrote of its own is only what it should; returns the agent's lines.
fn expect(target: &Target, names: &str, found: &str) -> Vec<String> {
    target.send_line(names);
    target.send_line("end");
    let output = target.wait_exit().expect_code(5);
    assert_eq!(output.stdout, format!("ready\nfound {found}\n"), "{}", output.stderr);
    let (ours, others): (Vec<&str>, Vec<&str>) =
        output.stderr.lines().partition(|line| line.starts_with("[fatagent] "));
    // What the JVM itself says about agents that are attached, and about its archive.
    let is_known = |line: &&str| line.starts_with("WARNING: ") || line.contains("warning: Sharing is only supported");
    assert!(others.iter().all(is_known), "{}", output.stderr);
    ours.iter().map(|line| (*line).to_owned()).collect()
}

const NAMES: &str = "Boot Other ProfileBoot System ProfileSystem GivenBoot GivenSystem";
const FOUND: &str = "Boot=boot:first Other=boot:second ProfileBoot=boot:a System=system:listed ProfileSystem=system:s \
                     GivenBoot=boot:given GivenSystem=system:given";

fn given() -> String {
    let given = |name: &str| built().join("given").join(name).display().to_string();
    format!("bootClassPath={},systemClassPath={}", given("b + %41 é.jar"), given("s.jar"))
}

fn expect_skipped(lines: &[String]) {
    let skipped = ["`gone.jar` of BTrace-Boot-Libs in ", "`text.jar` of BTrace-System-Libs in "];
    assert_eq!(lines.len(), skipped.len(), "{lines:?}");
    for part in skipped {
        let found = |line: &&String| line.contains(part) && line.contains(" is skipped: ") && line.contains("hint: ");
        assert_eq!(lines.iter().filter(found).count(), 1, "{lines:?}");
    }
}

#[test]
fn jars_of_manifest_and_arguments_are_found_in_every_mode_of_launch() {
    each_jdk("libraries at launch", |test, jdk| {
        let with = given();
        for option in [format!("-javaagent:{}={with}", jar().display()), agentpath(&jar(), &format!(",{with}"))] {
            expect_skipped(&expect(&host(jdk).jvm_option(option).launch(), NAMES, FOUND));
        }
        // In a folder of any name.
        let odd = test.folder().join("p a+b%20c#é");
        for part in ["libs/prof/boot", "libs/prof/system"] {
            fs_err::create_dir_all(odd.join(part)).expect("a folder");
        }
        for (path, _) in JARS.iter().filter(|(path, _)| path.starts_with("agent/")) {
            fs_err::copy(built().join(path), odd.join(&path["agent/".len()..])).expect("a copy");
        }
        fs_err::copy(built().join("agent/libs/text.jar"), odd.join("libs/text.jar")).expect("a copy");
        fs_err::copy(jar(), odd.join("libs-agent.jar")).expect("a copy");
        let option = format!("-javaagent:{}={with}", odd.join("libs-agent.jar").display());
        expect_skipped(&expect(&host(jdk).jvm_option(option).launch(), NAMES, FOUND));
    });
}

#[test]
fn a_launch_by_agentpath_keeps_the_archive_and_the_class_path() {
    each_jdk("libraries by agentpath", |_, jdk| {
        let target = host(jdk).jvm_option(agentpath(&jar(), "")).launch();
        target.wait_for_line("ready");
        let stderr = target.stderr();
        assert!(!stderr.contains("Sharing is only supported"), "{stderr}");
        expect(&target, "Boot System", "Boot=boot:first System=system:listed");
    });
}

#[test]
fn jars_of_manifest_and_arguments_are_found_once_attached() {
    each_jdk("libraries at attach", |test, jdk| {
        let with = given();
        let by_library = format!("jar={},{with}", jar().display());
        for (file, arguments) in [(jar(), with.clone()), (library().to_owned(), by_library)] {
            let target = host(jdk).launch();
            target.wait_for_line("ready");
            jcmd_load(test, jdk, &target, &file, &arguments);
            // Once more: nothing is appended or told twice.
            jcmd_load(test, jdk, &target, &file, &arguments);
            expect_skipped(&expect(&target, NAMES, FOUND));
        }
        // What only a later attach asks for is found then.
        let bare = bare();
        let target = host(jdk).jvm_option(format!("-javaagent:{}", bare.display())).launch();
        target.wait_for_line("ready");
        jcmd_load(test, jdk, &target, &bare, &with);
        assert_eq!(
            expect(&target, "Boot GivenBoot GivenSystem", "Boot=none GivenBoot=boot:given GivenSystem=system:given"),
            [""; 0]
        );
    });
}

#[test]
fn profiles_by_argument_are_refused_and_the_agent_goes_on() {
    each_jdk("libs=", |_, jdk| {
        let bare = bare();
        for option in [format!("-javaagent:{}=libs=spark", bare.display()), agentpath(&bare, ",libs=spark")] {
            let lines = expect(&host(jdk).jvm_option(option).launch(), "Boot", "Boot=none");
            let start =
                "[fatagent] libs=spark is refused: profiles are removed, and nothing of `spark` is loaded; hint: ";
            assert!(matches!(&lines[..], [line] if line.starts_with(start)), "{lines:?}");
        }
    });
}

#[test]
fn one_jar_of_btrace_home_is_taken_from_those_who_trust_it() {
    each_jdk("appendJar", |test, jdk| {
        let bare = bare();
        let (home, hatch) = (built().join("home"), built().join("home/libs/app.jar"));
        let outside = built().join("given/s.jar");
        let run = |jar: &Path, arguments: &str, options: &[&str], home: Option<&Path>| {
            let builder = host(jdk)
                .jvm_option(format!("-Dbtrace.system.appendJar={}", jar.display()))
                .jvm_option(format!("-javaagent:{}={arguments}", bare.display()));
            let builder = home.iter().fold(builder, |builder, home| builder.env("BTRACE_HOME", home));
            options.iter().fold(builder, |builder, option| builder.jvm_option(*option)).launch()
        };
        let (taken, refused) = ("Hatch=system:home GivenSystem=none", "Hatch=none GivenSystem=none");
        let names = "Hatch GivenSystem";
        assert_eq!(expect(&run(&hatch, "trusted=true", &[], Some(&home)), names, taken), [""; 0]);
        // It is the argument that counts, and the place.
        for (jar, arguments, options, part) in [
            (&hatch, "", &["-Dbtrace.trusted=true"][..], "the argument `trusted=true` is missing"),
            (&outside, "trusted=true", &[], "it lies outside BTRACE_HOME"),
            (&test.folder().join("gone.jar"), "trusted=true", &["-Dbtrace.allowExternalLibs=true"], "there is no file"),
        ] {
            let lines = expect(&run(jar, arguments, options, Some(&home)), names, refused);
            assert!(matches!(&lines[..], [line] if line.contains(part) && line.contains("hint: ")), "{lines:?}");
        }
        let target = run(&outside, "trusted", &["-Dbtrace.allowExternalLibs=true"], Some(&home));
        assert_eq!(expect(&target, names, "Hatch=none GivenSystem=system:given"), [""; 0]);
        let lines = expect(&run(&hatch, "trusted=true", &[], None), names, taken);
        assert!(matches!(&lines[..], [line] if line.contains("is appended although ")), "{lines:?}");
    });
}
