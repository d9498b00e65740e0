//! What a native library needs, by the functions that it imports: ELF, Mach-O and PE.
//!
//! Code that is linked statically, makes system calls itself or loads further code shows nothing of what it does.

mod kernel;
mod symbols;

use crate::permissions::Permissions;
use goblin::elf::{self, Elf, section_header};
use goblin::mach::{Mach, MachO, SingleArch};
use goblin::pe::PE;
use goblin::{Object, elf::sym};
use kernel::has_system_call;
use manifests::permission::Permission;
use symbols::{LOADING, permissions_of};

/// A library, or a part of one for one processor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Library {
    /// Imported functions that need a permission, sorted, with what they need.
    pub findings: Vec<(String, Permissions)>,
    /// Why it cannot be scanned, if so.
    pub unscannable: Vec<String>,
}

impl Library {
    /// Everything that the imported functions need, and `NATIVE`.
    pub fn permissions(&self) -> Vec<Permission> {
        let native = Permissions::of(&[Permission::Native]);
        self.findings.iter().fold(native, |set, (_, permissions)| set | *permissions).iter().collect()
    }
}

/// Whether a file begins as a native library does. Java class files share a magic number with fat Mach-O files; theirs is
/// followed by a count of processors, which is small.
pub fn is_library(bytes: &[u8]) -> bool {
    match bytes {
        [0x7F, b'E', b'L', b'F', ..] | [0xCF | 0xCE, 0xFA, 0xED, 0xFE, ..] | [0xFE, 0xED, 0xFA, 0xCE | 0xCF, ..] => {
            true
        }
        [b'M', b'Z', ..] => bytes.len() > 64,
        [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, count, ..] => *count < 20,
        _ => false,
    }
}

/// Reads a library.
///
/// # Errors
/// It is none, or it is damaged: what is wrong.
pub fn scan(bytes: &[u8]) -> Result<Library, String> {
    let mut library = Library::default();
    match Object::parse(bytes).map_err(|error| error.to_string())? {
        Object::Elf(elf) => of_elf(&elf, bytes, &mut library),
        Object::Mach(Mach::Binary(mach)) => of_mach(&mach, &mut library)?,
        Object::Mach(Mach::Fat(fat)) => {
            for part in &fat {
                match part.map_err(|error| error.to_string())? {
                    SingleArch::MachO(mach) => of_mach(&mach, &mut library)?,
                    SingleArch::Archive(_) => library.unscannable.push("holds a static archive".to_owned()),
                }
            }
        }
        Object::PE(pe) => of_pe(&pe, &mut library),
        _ => return Err("no ELF, Mach-O or PE file".to_owned()),
    }
    library.findings.sort_by(|one, two| one.0.cmp(&two.0));
    library.findings.dedup();
    library.unscannable.sort();
    library.unscannable.dedup();
    Ok(library)
}

impl Library {
    fn import(&mut self, name: &str) {
        let permissions = permissions_of(name);
        if !permissions.is_empty() {
            self.findings.push((name.to_owned(), permissions));
        }
        if LOADING.contains(&name) {
            self.unscannable.push(format!("calls `{name}`, which may run any other code"));
        }
    }
}

fn of_elf(file: &Elf<'_>, bytes: &[u8], library: &mut Library) {
    let mut imports = 0_usize;
    // Not `is_import`: on MIPS what is imported has an address, that of a stub.
    let undefined = |symbol: &elf::Sym| symbol.st_shndx == section_header::SHN_UNDEF as usize;
    for symbol in file.dynsyms.iter().filter(undefined) {
        if let Some(name) = file.dynstrtab.get_at(symbol.st_name) {
            imports += usize::from(!name.is_empty() && symbol.st_bind() != sym::STB_WEAK);
            library.import(name);
        }
    }
    if file.libraries.is_empty() && imports == 0 {
        library.unscannable.push("imports nothing: it is linked statically, or makes system calls itself".to_owned());
    }
    let code = file.section_headers.iter().filter(|section| {
        section.sh_flags & u64::from(section_header::SHF_EXECINSTR) != 0
            && section.sh_type != section_header::SHT_NOBITS
    });
    let mut ranges: Vec<_> = code.filter_map(section_header::SectionHeader::file_range).collect();
    if file.section_headers.is_empty() {
        // Stripped of its section table: the executable segments are what is mapped.
        let segments = file.program_headers.iter().filter(|segment| segment.is_executable());
        ranges.extend(segments.map(elf::ProgramHeader::file_range));
    }
    let has_raw = |range: &std::ops::Range<usize>| {
        bytes.get(range.clone()).is_some_and(|code| has_system_call(code, file.header.e_machine))
    };
    if ranges.iter().any(has_raw) {
        library.unscannable.push("makes system calls itself".to_owned());
    }
}

fn of_mach(mach: &MachO<'_>, library: &mut Library) -> Result<(), String> {
    let mut imports = 0_usize;
    let symbols = mach.symbols().flatten().filter(|(_, symbol)| symbol.is_undefined());
    for (name, _) in symbols {
        imports += 1;
        // C names have an underscore; variants of the system's library follow a dollar sign.
        let name = name.strip_prefix('_').unwrap_or(name);
        library.import(name.split('$').next().unwrap_or(name));
    }
    for import in mach.imports().map_err(|error| error.to_string())? {
        imports += 1;
        let name = import.name.strip_prefix('_').unwrap_or(import.name);
        library.import(name.split('$').next().unwrap_or(name));
    }
    if imports == 0 {
        library.unscannable.push("imports nothing: it is linked statically, or makes system calls itself".to_owned());
    }
    Ok(())
}

fn of_pe(pe: &PE<'_>, library: &mut Library) {
    for import in &pe.imports {
        if matches!(
            import.dll.to_ascii_lowercase().as_str(),
            "ws2_32.dll" | "wsock32.dll" | "winhttp.dll" | "wininet.dll"
        ) {
            library.findings.push((format!("{}!{}", import.dll, import.name), Permissions::of(&[Permission::Network])));
        } else {
            library.import(&import.name);
        }
    }
    if pe.imports.is_empty() {
        library.unscannable.push("imports nothing: it makes system calls itself".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_itself_starts_threads_and_reads_files() {
        let own = fs_err::read(std::env::current_exe().unwrap()).unwrap();
        let permissions = scan(&own).unwrap().permissions();
        for permission in [Permission::Threads, Permission::FileRead, Permission::Native] {
            assert!(permissions.contains(&permission), "{permission} in {permissions:?}");
        }
    }

    #[test]
    fn imports_with_an_address_count_as_on_mips() {
        let own = fs_err::read(std::env::current_exe().unwrap()).unwrap();
        let elf = Elf::parse(&own).unwrap();
        let table = elf.section_headers.iter().find(|section| section.sh_type == section_header::SHT_DYNSYM).unwrap();
        let (start, size) = (table.sh_offset as usize, table.sh_entsize as usize);
        let mut stubs = own.clone();
        for (index, symbol) in elf.dynsyms.iter().enumerate().skip(1) {
            if symbol.st_shndx == 0 {
                // The value is the third field of a symbol of 64 bits, after name, kind and section.
                let value = start + index * size + 8;
                stubs[value..value + 8].copy_from_slice(&0x1000_u64.to_le_bytes());
            }
        }
        assert_ne!(stubs, own);
        assert_eq!(scan(&stubs), scan(&own));
    }

    #[test]
    fn class_files_are_no_libraries() {
        assert!(!is_library(&[0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 10]));
        assert!(is_library(&[0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2, 0, 10]));
        assert!(!is_library(b"text"));
        assert!(scan(b"text").is_err());
    }
}
