//! Compiles sources, relocates the classes, and runs them under the strict verifier.

use classfile::relocate::{Literal, Literals, Relocated, Rules, relocate};
use fixtures::{JavaHome, compiler_home, java_homes};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// The classes of a program by internal name.
pub(crate) type Classes = BTreeMap<String, Vec<u8>>;

/// How long any one child may take on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_mins(5);

/// Compiles sources, given as file name and text, and returns every class.
pub(crate) fn javac(sources: &[(&str, &str)], options: &[&str]) -> Classes {
    let folder = TempDir::new().unwrap();
    let all: Vec<&str> = ["-Xlint:none", "-nowarn"].iter().chain(options).copied().collect();
    fixtures::javac(sources, &all, folder.path()).unwrap();
    read_classes(folder.path())
}

/// Every class below a folder.
pub(crate) fn read_classes(folder: &Path) -> Classes {
    let mut classes = Classes::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs_err::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "class") {
                let name = path.strip_prefix(folder).unwrap().with_extension("");
                classes.insert(name.to_str().unwrap().into(), fs_err::read(&path).unwrap());
            }
        }
    }
    classes
}

/// Writes classes below a folder.
pub(crate) fn write_classes(folder: &Path, classes: &Classes) {
    for (name, bytes) in classes {
        let file = folder.join(format!("{name}.class"));
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, bytes).unwrap();
    }
}

/// Rules without exclusions.
pub(crate) fn rules(pairs: &[(&str, &str)]) -> Rules {
    Rules::new(pairs.iter().copied()).unwrap()
}

/// A program after relocation.
pub(crate) struct Moved {
    pub(crate) classes: Classes,
    pub(crate) results: BTreeMap<String, Relocated>,
}

impl Moved {
    /// What is told of the literals of a class, by its old name.
    pub(crate) fn literals(&self, class: &str) -> &[Literal] {
        &self.results[class].literals
    }
}

/// Relocates every class, with the literals that name one of them.
pub(crate) fn relocate_all(classes: &Classes, rules: &Rules) -> Moved {
    let known = |name: &str| {
        let folder = format!("{name}/");
        classes.contains_key(name) || classes.keys().any(|class| class.starts_with(&folder))
    };
    relocate_with(classes, rules, &Literals::Descriptors(&known))
}

pub(crate) fn relocate_with(classes: &Classes, rules: &Rules, literals: &Literals<'_>) -> Moved {
    let mut moved = Moved { classes: Classes::new(), results: BTreeMap::new() };
    for (name, bytes) in classes {
        let result = relocate(bytes, rules, literals).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let new = result.bytes.clone().unwrap_or_else(|| bytes.clone());
        cafebabe::parse_class(&new).unwrap_or_else(|e| panic!("{name}: {e}"));
        let path = rules.path(&format!("{name}.class")).unwrap_or_else(|| format!("{name}.class"));
        assert_eq!(format!("{}.class", result.name_str().unwrap()), path, "file and class must agree");
        // Done once, nothing is left to do, unless a target lies within a source.
        if result.bytes.is_some() && rules.class(&result.name).is_none() {
            let again = relocate(&new, rules, literals).unwrap();
            assert!(again.bytes.is_none() || again.bytes.as_deref() == Some(&new[..]), "{name} changes again");
        }
        assert!(moved.classes.insert(result.name_str().unwrap().into(), new).is_none(), "{name} collides");
        moved.results.insert(name.clone(), result);
    }
    moved
}

/// The JDKs that can run what the compiler under test writes.
pub(crate) fn homes() -> Vec<JavaHome> {
    let oldest = compiler_home().unwrap().feature;
    let homes: Vec<_> = java_homes().into_iter().filter(|home| home.feature >= oldest).collect();
    assert!(!homes.is_empty());
    homes
}

/// Runs `main` of a class under the strict verifier; its standard output.
pub(crate) fn java(home: &JavaHome, classes: &Classes, main: &str) -> String {
    let folder = TempDir::new().unwrap();
    write_classes(folder.path(), classes);
    let mut command = Command::new(home.path.join("bin/java"));
    command.args(["-Xverify:all", "-XX:-PrintWarnings", "-cp"]).arg(folder.path()).arg(main);
    succeed(&mut command)
}

/// Runs a command that must succeed; its standard output.
pub(crate) fn succeed(command: &mut Command) -> String {
    let output = fixtures::run(command, LIMIT).unwrap();
    assert!(output.status.success(), "{command:?}: {}", output.both());
    output.stdout
}

/// What `javap -v -p` prints of classes, which must be sound to it.
pub(crate) fn javap(classes: &Classes) -> String {
    let folder = TempDir::new().unwrap();
    write_classes(folder.path(), classes);
    let mut command = Command::new(compiler_home().unwrap().tool("javap").unwrap());
    command.current_dir(folder.path()).args(["-v", "-p"]).args(classes.keys().map(|name| format!("{name}.class")));
    let output = fixtures::run(&mut command, LIMIT).unwrap();
    assert!(output.status.success(), "{}", output.both());
    assert!(!output.both().contains("Error:"), "{}", output.both());
    output.stdout
}

/// Every text of a class's constant pool.
pub(crate) fn texts(bytes: &[u8]) -> Vec<String> {
    let class = classfile::ClassFile::parse(bytes).unwrap();
    let pool = class.pool();
    (1..pool.len()).filter_map(|i| pool.utf8(i).ok()).map(|t| String::from_utf8_lossy(t).into_owned()).collect()
}

/// The tag of every constant.
pub(crate) fn tags(bytes: &[u8]) -> Vec<Option<u8>> {
    let class = classfile::ClassFile::parse(bytes).unwrap();
    (1..class.pool().len()).map(|i| class.pool().tag(i)).collect()
}
