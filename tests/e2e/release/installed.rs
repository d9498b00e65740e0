//! From the tarball to an agent in a JVM.

use std::path::Path;

use super::machine::Machine;
use crate::harness::e2e_test;

const VERSION: &str = env!("CARGO_PKG_VERSION");

const POM: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.acme</groupId>
  <artifactId>shop-probes</artifactId>
  <version>1.0.0</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source>
    <maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>io.btrace</groupId>
      <artifactId>fatagent-sdk</artifactId>
      <version>VERSION</version>
      <scope>provided</scope>
    </dependency>
  </dependencies>
</project>
"#;

/// The application, and what is written for it.
pub(crate) const SHOP: &str = r#"package shop;
public class Shop {
    static int pay(int cents) { return cents * 2; }
    public static void main(String[] arguments) { System.out.println("paid " + pay(21)); }
}
"#;

pub(crate) const TRACE: &str = r#"package shop;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class PayTrace {
    @Injected private static Tally tally;
    @OnMethod(clazz = "shop.Shop", method = "pay", location = @Location(Kind.RETURN))
    public static void paid(int cents, @Return int result) {
        println("probe " + cents + " " + result + " " + tally.add(result));
    }
}
"#;

pub(crate) const TALLY: &str = r"package shop;
@io.btrace.core.extensions.ServiceDescriptor public interface Tally { long add(int amount); }
";

pub(crate) const TALLY_IMPL: &str = r"package shop;
public class TallyImpl extends io.btrace.core.extensions.Extension implements Tally {
    private long sum;
    public synchronized long add(int amount) { return sum += amount; }
}
";

const EXTENSION: &str = r#"id = "shop-tally"
version = "1.0.0"
services = ["shop.Tally"]
api-packages = ["shop"]
classes = ["target/classes"]
probes = ["shop/PayTrace.class"]
"#;

const AGENT: &str = r#"[agent]
name = "shop-agent"
version = "1.0.0"

[[extension]]
path = "tally"

[args]
probes = "PayTrace"
"#;

/// The project's files below `folder`.
pub(crate) fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs_err::write(path, text).expect("a file");
    }
}

#[test]
fn an_extension_is_built_with_maven_and_runs_in_an_agent() {
    e2e_test("from a tarball", |test| {
        let machine = Machine::new(test);
        for stranger in ["cargo", "rustc", "cc", "fatagent"] {
            assert!(machine.lacks(stranger), "{stranger}");
        }
        let installed = test.run(machine.command("fatagent").args(["sdk", "install"])).expect_code(0);
        assert!(installed.stdout.contains(&format!("io.btrace:fatagent-sdk:{VERSION}")), "{}", installed.stdout);
        let again = test.run(machine.command("fatagent").args(["sdk", "install"])).expect_code(0);
        assert!(
            again.stderr.contains("Unchanged io.btrace:fatagent-sdk") && !again.stderr.contains("Installed"),
            "{}",
            again.stderr
        );
        assert!(machine.repository().join(format!("io/btrace/fatagent-sdk/{VERSION}")).is_dir());
        for id in ["io.btrace.fat-agent", "io.btrace.extension"] {
            let marker =
                format!("{}/{id}.gradle.plugin/{VERSION}/{id}.gradle.plugin-{VERSION}.pom", id.replace('.', "/"));
            assert!(machine.repository().join(&marker).is_file(), "{marker}");
        }

        let project = test.folder().join("project");
        let pom = POM.replace("VERSION", VERSION);
        write(
            &project,
            &[
                ("tally/pom.xml", pom.as_str()),
                ("tally/extension.toml", EXTENSION),
                ("tally/src/main/java/shop/PayTrace.java", TRACE),
                ("tally/src/main/java/shop/Tally.java", TALLY),
                ("tally/src/main/java/shop/TallyImpl.java", TALLY_IMPL),
                ("agent.toml", AGENT),
                ("app/shop/Shop.java", SHOP),
            ],
        );
        test.run(machine.with_maven().maven(&project.join("tally")).arg("compile")).expect_code(0);
        test.run(machine.command("fatagent").current_dir(&project).args(["build"])).expect_code(0);
        test.run(machine.command("fatagent").current_dir(&project).args(["verify", "shop-agent.jar"])).expect_code(0);
        test.run(machine.command("javac").current_dir(&project).args(["-d", "app", "app/shop/Shop.java"]))
            .expect_code(0);
        let mut java = machine.command("java");
        java.current_dir(&project).arg("-javaagent:shop-agent.jar=scriptOutputFile=trace.txt").args([
            "-cp",
            "app",
            "shop.Shop",
        ]);
        let run = test.run(&mut java).expect_code(0);
        assert_eq!(run.stdout, "paid 42\n", "{}", run.stderr);
        assert_eq!(
            fs_err::read_to_string(project.join("trace.txt")).expect("an output"),
            "probe 21 42 42\n",
            "{}",
            run.stderr
        );
    });
}

#[test]
fn the_demo_runs() {
    e2e_test("demo of a tarball", |test| {
        let machine = Machine::new(test);
        let output = test.run(machine.command("fatagent").args(["demo", "shop"])).expect_code(0);
        assert!(output.stdout.contains("chargeCard"), "{}\n{}", output.stdout, output.stderr);
    });
}

#[test]
fn the_program_carries_all_cores_and_names_the_one_of_this_computer() {
    e2e_test("cores of a tarball", |test| {
        let machine = Machine::new(test);
        let all = ["aarch64-gnu", "aarch64-musl", "x86_64-gnu", "x86_64-musl"];
        let toml = |targets: &str| format!("[agent]\nname = \"bare\"\nversion = \"1\"\n{targets}");
        let build = |targets: &str| {
            fs_err::write(test.folder().join("agent.toml"), toml(targets)).expect("a file");
            test.run(machine.command("fatagent").arg("build"))
        };
        let own = build("").expect_code(0);
        let arch = std::env::consts::ARCH;
        assert!(own.stderr.contains(&format!("Core linux-{arch}-gnu, needs glibc 2.")), "{}", own.stderr);
        build(&format!("targets = {all:?}\n")).expect_code(0);
        let jar = test.folder().join("bare.jar");
        let names = fixtures::entry_names(&jar).expect("a jar");
        for target in all {
            assert!(names.contains(&format!("META-INF/btrace/native/linux-{target}/libagent_core.so")), "{names:?}");
        }
        let listed =
            String::from_utf8(fixtures::read_entry(&jar, "META-INF/MANIFEST.MF").expect("a manifest")).expect("UTF-8");
        let listed = listed.replace("\r\n ", "");
        let hashes = listed.lines().find(|line| line.starts_with("BTrace-Native-SHA256: ")).expect("the attribute");
        assert_eq!(hashes.matches('=').count(), 4, "{hashes}");
        let missing = build("targets = [\"riscv64-gnu\"]\n").expect_code(1);
        for target in all {
            assert!(missing.stderr.contains(&format!("`{target}`")), "{}", missing.stderr);
        }
        test.run(machine.command("fatagent").args(["verify", "bare.jar"])).expect_code(0);
    });
}

#[test]
fn an_agent_for_another_target_is_off_with_one_line() {
    e2e_test("another target", |test| {
        let machine = Machine::new(test);
        let (own, other) = if cfg!(target_arch = "aarch64") { ("aarch64", "x86_64") } else { ("x86_64", "aarch64") };
        let toml = format!("[agent]\nname = \"other\"\nversion = \"1\"\ntargets = [\"{other}-gnu\", \"{own}-musl\"]\n");
        write(test.folder(), &[("agent.toml", toml.as_str()), ("shop/Shop.java", SHOP)]);
        test.run(machine.command("fatagent").arg("build")).expect_code(0);
        test.run(machine.command("javac").args(["shop/Shop.java"])).expect_code(0);
        let run =
            test.run(machine.command("java").args(["-javaagent:other.jar", "-cp", ".", "shop.Shop"])).expect_code(0);
        assert_eq!(run.stdout, "paid 42\n");
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        let mut targets = [format!("linux-{other}-gnu"), format!("linux-{own}-musl")];
        targets.sort();
        let named = format!("no native core for linux-{own}-gnu in ");
        assert!(
            run.stderr.contains(&named) && run.stderr.contains(&format!("which has: {};", targets.join(", "))),
            "{}",
            run.stderr
        );
    });
}

#[test]
fn completions_pages_and_papers_are_there() {
    e2e_test("papers of a tarball", |test| {
        let machine = Machine::new(test);
        for path in [
            "LICENSE",
            "README.md",
            "THIRD-PARTY.txt",
            "recipe.json",
            "man/man1/fatagent-build.1",
            "completions/_fatagent",
        ] {
            assert!(fs_err::metadata(machine.release.join(path)).is_ok_and(|file| file.len() > 0), "{path}");
        }
        let listed = test.run(machine.command("btracex").arg("--help")).expect_code(0);
        assert!(listed.stdout.contains("enable"), "{}", listed.stdout);
        let driver = test.run(machine.command("cargo-fatagent").args(["fatagent", "--help"])).expect_code(0);
        assert!(driver.stdout.contains("cargo fatagent"), "{}", driver.stdout);
        let version = test.run(machine.command("fatagent").arg("--version")).expect_code(0);
        assert_eq!(version.stdout, format!("fatagent {VERSION}\n"));
    });
}
