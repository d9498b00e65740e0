//! Native cores: their targets, and what an ELF file says about itself.

use std::path::Path;

use goblin::elf::Elf;
use goblin::elf::header::{EM_386, EM_AARCH64, EM_ARM, EM_X86_64, machine_to_str};
use serde_json::{Map, Value, json};

use crate::paths;

/// What `inspect` shows of a native core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeCore {
    /// Target, such as `linux-x86_64-gnu`.
    pub target: String,
    /// Bytes of the library.
    pub size: u64,
    /// Architecture as the ELF header names it, or why it could not be read.
    pub architecture: String,
    /// The least glibc it runs on, such as `2.34`; nothing when it needs no versioned symbol.
    pub libc_floor: Option<String>,
    /// Names of the functions it exports, sorted.
    pub exports: Vec<String>,
}

impl NativeCore {
    /// Reads the library of `target`.
    pub(crate) fn read(target: &str, bytes: &[u8]) -> Self {
        let mut core = Self {
            target: target.to_owned(),
            size: bytes.len() as u64,
            architecture: String::new(),
            libc_floor: None,
            exports: Vec::new(),
        };
        match Elf::parse(bytes) {
            Ok(elf) => {
                core.architecture = machine_to_str(elf.header.e_machine).to_lowercase();
                core.libc_floor = libc_floor(&elf);
                core.exports = exports(&elf);
            }
            Err(error) => core.architecture = format!("unknown ({error})"),
        }
        core
    }

    /// The core as a JSON object.
    pub(crate) fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("target".into(), self.target.as_str().into());
        object.insert("size".into(), self.size.into());
        object.insert("architecture".into(), self.architecture.as_str().into());
        object.insert("libc-floor".into(), json!(self.libc_floor));
        object.insert("exports".into(), json!(self.exports));
        Value::Object(object)
    }
}

/// The highest `GLIBC_x.y` among the versions that the library needs.
fn libc_floor(elf: &Elf<'_>) -> Option<String> {
    let needed = elf.verneed.as_ref()?;
    let versions = needed.iter().flat_map(|need| need.iter().map(|aux| aux.vna_name).collect::<Vec<_>>());
    let names = versions.filter_map(|name| elf.dynstrtab.get_at(name)?.strip_prefix("GLIBC_"));
    let parsed = |version: &str| version.split('.').map(str::parse).collect::<Result<Vec<u32>, _>>();
    names.filter_map(|name| Some((parsed(name).ok()?, name))).max().map(|(_, name)| name.to_owned())
}

fn exports(elf: &Elf<'_>) -> Vec<String> {
    let defined = elf.dynsyms.iter().filter(|symbol| symbol.is_function() && !symbol.is_import());
    let mut names: Vec<String> =
        defined.filter_map(|symbol| elf.dynstrtab.get_at(symbol.st_name)).map(str::to_owned).collect();
    names.sort();
    names
}

/// The target of this computer in the short form of `agent.toml`, such as `x86_64-gnu`.
pub(crate) fn host_target() -> String {
    match std::env::consts::OS {
        "linux" => format!("{}-{}", std::env::consts::ARCH, host_libc()),
        os => format!("{os}-{}", std::env::consts::ARCH),
    }
}

/// The C library of this computer's programs.
fn host_libc() -> &'static str {
    if !cfg!(target_env = "musl") {
        return "gnu";
    }
    // A static program runs beside either library, so that another program has to tell.
    if libc_of(Path::new("/bin/sh")).unwrap_or("gnu") == "musl" { "musl" } else { "gnu" }
}

/// The C library that a program asks for by its ELF interpreter; nothing for what is no program, or a static one.
fn libc_of(program: &Path) -> Option<&'static str> {
    let bytes = fs_err::read(program).ok()?;
    let interpreter = Elf::parse(&bytes).ok()?.interpreter?.to_owned();
    Some(if interpreter.contains("ld-musl") { "musl" } else { "gnu" })
}

/// The target of a library, in the form of a target's folder in a jar, as the file says itself. A library that needs no libc is
/// taken for one of this computer's.
pub(crate) fn library_target(bytes: &[u8]) -> String {
    let host = || full_target(&host_target());
    let Ok(elf) = Elf::parse(bytes) else { return host() };
    let machine = match elf.header.e_machine {
        EM_X86_64 => "x86_64".to_owned(),
        EM_AARCH64 => "aarch64".to_owned(),
        EM_ARM => "arm".to_owned(),
        EM_386 => "x86".to_owned(),
        other => machine_to_str(other).to_lowercase(),
    };
    let needs = |name: &str| elf.libraries.iter().any(|library| library.starts_with(name));
    let libc = if needs("libc.musl") || elf.libraries.contains(&"libc.so") {
        "musl"
    } else if needs("libc.so.") {
        "gnu"
    } else {
        host_libc()
    };
    format!("linux-{machine}-{libc}")
}

/// The name of a target's folder in a jar: `linux-` is left out in `agent.toml`.
pub(crate) fn full_target(target: &str) -> String {
    let named = ["linux-", "macos-", "windows-"].iter().any(|os| target.starts_with(os));
    if named { target.to_owned() } else { format!("linux-{target}") }
}

/// The form of `agent.toml` for the name of a target's folder.
pub(crate) fn short_target(target: &str) -> &str {
    target.strip_prefix("linux-").unwrap_or(target)
}

/// The target whose core is at `path` of a jar.
pub(crate) fn target_of(path: &str) -> Option<&str> {
    let target = path.strip_prefix(paths::NATIVE)?.strip_suffix(paths::CORE_FILE)?.strip_suffix('/')?;
    (!target.is_empty() && !target.contains('/')).then_some(target)
}

/// The entry of a target's core.
pub(crate) fn core_path(target: &str) -> String {
    format!("{}{target}/{}", paths::NATIVE, paths::CORE_FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_two_forms() {
        assert_eq!(full_target("x86_64-gnu"), "linux-x86_64-gnu");
        assert_eq!(full_target("linux-x86_64-gnu"), "linux-x86_64-gnu");
        assert_eq!(short_target("linux-aarch64-musl"), "aarch64-musl");
        assert_eq!(target_of(&core_path("linux-x86_64-gnu")), Some("linux-x86_64-gnu"));
        assert_eq!(target_of("META-INF/btrace/native/a/b/libagent_core.so"), None);
        assert_eq!(target_of("META-INF/btrace/native/libagent_core.so"), None);
        assert_eq!(target_of("META-INF/btrace/native/a/other.so"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_test_itself_is_an_elf_file_that_needs_glibc() {
        let own = fs_err::read(std::env::current_exe().unwrap()).unwrap();
        let core = NativeCore::read("linux-x86_64-gnu", &own);
        assert_eq!(core.size, own.len() as u64);
        if cfg!(target_arch = "x86_64") {
            assert_eq!(core.architecture, "x86_64");
        }
        assert_eq!(library_target(&own), full_target(&host_target()));
        if cfg!(target_env = "gnu") {
            assert_eq!(libc_of(&std::env::current_exe().unwrap()), Some("gnu"));
            let floor = core.libc_floor.unwrap();
            assert!(floor.starts_with("2."), "{floor}");
        }
    }

    #[test]
    fn something_else_is_shown_as_unknown() {
        let core = NativeCore::read("x", b"not a library");
        assert!(core.architecture.starts_with("unknown ("), "{}", core.architecture);
        assert_eq!(library_target(b"not a library"), full_target(&host_target()));
    }
}
