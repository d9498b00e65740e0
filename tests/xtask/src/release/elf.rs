//! What the ELF files of a release have to be.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use goblin::archive::Archive;
use goblin::elf::Elf;
use goblin::elf::header::{EM_AARCH64, EM_X86_64, ET_DYN};
use goblin::elf::sym::STB_WEAK;

use super::target::{Arch, GLIBC, Libc, Target};

/// What the JVM looks up in a core, and nothing else.
const EXPORTS: [&str; 4] = ["Agent_OnAttach", "Agent_OnLoad", "JNI_OnLoad", "Java_io_btrace_boot_NativeCore_bind"];
/// Libraries that glibc consists of; which of them a function is in depends on its version.
const OF_GLIBC: [&str; 7] = [
    "libc.so.6",
    "libdl.so.2",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
];
/// The one library of musl.
const OF_MUSL: [&str; 1] = ["libc.so"];

/// Checks a core and says what it needs.
///
/// `musl` is the static library of musl for its architecture: what a core imports has to be there.
///
/// # Errors
/// It is for another processor, needs a newer glibc or another library, or exports something else than the JVM looks up.
pub(crate) fn check_core(target: Target, bytes: &[u8], musl: Option<&[u8]>) -> Result<String> {
    let elf = parse(target.arch, bytes)?;
    let mut faults = Vec::new();
    if elf.header.e_type != ET_DYN || elf.interpreter.is_some() {
        faults.push("it is no shared library".to_owned());
    }
    let exports = exports(&elf);
    if exports != EXPORTS.map(str::to_owned) {
        faults.push(format!("it exports [{}] instead of [{}]", exports.join(", "), EXPORTS.join(", ")));
    }
    let allowed = if target.libc == Libc::Gnu { &OF_GLIBC[..] } else { &OF_MUSL[..] };
    let others: Vec<&str> = elf.libraries.iter().copied().filter(|library| !allowed.contains(library)).collect();
    if !others.is_empty() {
        faults.push(format!("it needs other libraries than those of its libc: {}", others.join(", ")));
    }
    let versions = needed_versions(&elf);
    let floor = versions.iter().filter_map(|version| glibc(version)).max();
    match target.libc {
        Libc::Gnu => {
            let strange: Vec<&str> = versions.iter().copied().filter(|version| glibc(version).is_none()).collect();
            if !strange.is_empty() {
                faults.push(format!("it needs versions of something else than glibc: {}", strange.join(", ")));
            }
            if floor.is_none_or(|floor| floor > GLIBC) {
                faults.push(format!("it needs glibc {floor:?}, newer than {GLIBC:?}"));
            }
        }
        Libc::Musl => {
            if !versions.is_empty() {
                faults.push(format!("it needs versioned symbols, which musl has none of: {}", versions.join(", ")));
            }
            let known = defined(musl.context("musl's symbols are unknown")?)?;
            let unknown: Vec<String> = imports(&elf).into_iter().filter(|name| !known.contains(name)).collect();
            if !unknown.is_empty() {
                faults.push(format!("it needs what musl does not have: {}", unknown.join(", ")));
            }
        }
    }
    if !faults.is_empty() {
        bail!("core for `{}`: {}", target.name(), faults.join("; "));
    }
    Ok(match floor {
        Some((major, minor)) => format!("{} bytes, glibc {major}.{minor} or newer", bytes.len()),
        None => format!("{} bytes, no versioned symbol", bytes.len()),
    })
}

/// Checks that a program needs nothing of the system but its kernel.
///
/// # Errors
/// It is for another processor, or not static.
pub(crate) fn check_program(arch: Arch, bytes: &[u8]) -> Result<()> {
    let elf = parse(arch, bytes)?;
    if elf.interpreter.is_some() || !elf.libraries.is_empty() {
        bail!("the program is not static: it needs {:?} and [{}]", elf.interpreter, elf.libraries.join(", "));
    }
    Ok(())
}

fn parse(arch: Arch, bytes: &[u8]) -> Result<Elf<'_>> {
    let elf = Elf::parse(bytes).context("no ELF file")?;
    let machine = if arch == Arch::X86_64 { EM_X86_64 } else { EM_AARCH64 };
    if elf.header.e_machine != machine || !elf.is_64 || !elf.little_endian {
        bail!("not for {}: the machine of its header is {}", arch.name(), elf.header.e_machine);
    }
    Ok(elf)
}

/// Everything that others can link to, sorted.
fn exports(elf: &Elf<'_>) -> Vec<String> {
    let defined = elf.dynsyms.iter().filter(|symbol| !symbol.is_import() && symbol.st_bind() != 0);
    let names = defined.filter_map(|symbol| elf.dynstrtab.get_at(symbol.st_name)).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What it does not start without.
fn imports(elf: &Elf<'_>) -> Vec<String> {
    let needed = elf.dynsyms.iter().filter(|symbol| symbol.is_import() && symbol.st_bind() != STB_WEAK);
    let names = needed.filter_map(|symbol| elf.dynstrtab.get_at(symbol.st_name)).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// Names of all versions of symbols that it needs.
fn needed_versions<'a>(elf: &Elf<'a>) -> Vec<&'a str> {
    let needed = elf.verneed.iter().flat_map(goblin::elf::VerneedSection::iter);
    let names = needed.flat_map(|library| library.iter().map(|version| version.vna_name).collect::<Vec<_>>());
    names.filter_map(|name| elf.dynstrtab.get_at(name)).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The numbers of `GLIBC_2.17`.
fn glibc(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.strip_prefix("GLIBC_")?.split_once('.')?;
    // `GLIBC_2.2.5` has a third number, which no version that counts here has.
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}

/// The symbols that a static library defines.
fn defined(library: &[u8]) -> Result<BTreeSet<String>> {
    let archive = Archive::parse(library).context("no static library")?;
    Ok(archive.summarize().into_iter().flat_map(|(_, _, symbols)| symbols).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(glibc("GLIBC_2.2.5"), Some((2, 2)));
        assert!(glibc("GLIBC_2.9") < glibc("GLIBC_2.17"));
        assert_eq!((glibc("GCC_3.0"), glibc("GLIBC_PRIVATE")), (None, None));
    }

    #[test]
    fn a_program_of_this_computer_is_no_core() {
        let own = fs_err::read(std::env::current_exe().unwrap()).unwrap();
        let (host, other) = match Arch::host().unwrap() {
            Arch::X86_64 => (Arch::X86_64, Arch::Aarch64),
            Arch::Aarch64 => (Arch::Aarch64, Arch::X86_64),
        };
        let error = check_core(Target { arch: other, libc: Libc::Gnu }, &own, None).unwrap_err().to_string();
        assert!(error.starts_with(&format!("not for {}", other.name())), "{error}");
        let error = check_core(Target { arch: host, libc: Libc::Gnu }, &own, None).unwrap_err().to_string();
        assert!(error.contains("it is no shared library") && error.contains("it exports ["), "{error}");
        let musl =
            check_core(Target { arch: host, libc: Libc::Musl }, &own, Some(b"!<arch>\n")).unwrap_err().to_string();
        assert!(musl.contains("versioned symbols") && musl.contains("what musl does not have"), "{musl}");
        assert!(check_program(host, &own).unwrap_err().to_string().contains("not static"));
        assert!(check_program(host, b"text").is_err());
    }
}
