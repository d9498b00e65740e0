//! Compiles Java sources, weaves the classes, and runs them under the strict verifier.

pub(crate) use crate::planners::everything;
use classfile::weave::{Linkage, MethodInfo, Plan, Planner, Woven, methods, weave};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The classes of a program by internal name.
pub(crate) type Classes = BTreeMap<String, Vec<u8>>;

/// How call sites are linked to `rt.Rt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Dynamic,
    Direct,
}

/// A tool of the JDK under test: of `JAVA_HOME`, else of the search path.
pub(crate) fn tool(name: &str) -> PathBuf {
    std::env::var_os("JAVA_HOME").map_or_else(|| name.into(), |home| Path::new(&home).join("bin").join(name))
}

/// Runs a command; its standard output if it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    Err(format!("{command:?}: {}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr)))
}

/// Compiles sources, given as file name and text, and returns every class.
pub(crate) fn javac(sources: &[(&str, &str)], options: &[&str]) -> Classes {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("classes");
    fs_err::create_dir_all(&out).unwrap();
    let mut command = Command::new(tool("javac"));
    command
        .current_dir(folder.path())
        .args(["-Xlint:-options", "-nowarn", "-cp"])
        .arg(runtime())
        .arg("-d")
        .arg(&out)
        .args(options);
    for (name, text) in sources {
        let file = folder.path().join(name);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(&file, text).unwrap();
        command.arg(file);
    }
    run(&mut command).unwrap();
    read_classes(&out)
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

/// The folder with the compiled handler class, made once.
pub(crate) fn runtime() -> &'static Path {
    static RUNTIME: std::sync::OnceLock<TempDir> = std::sync::OnceLock::new();
    RUNTIME
        .get_or_init(|| {
            let folder = TempDir::new().unwrap();
            let source = folder.path().join("Rt.java");
            fs_err::write(&source, include_str!("java/Rt.java")).unwrap();
            run(Command::new(tool("javac"))
                .args(["--release", "8", "-Xlint:-options", "-d"])
                .arg(folder.path())
                .arg(source))
            .unwrap();
            folder
        })
        .path()
}

/// Call sites numbered for direct linkage.
#[derive(Default)]
pub(crate) struct Sites {
    text: String,
    count: i32,
}

impl Sites {
    /// Number of a new site.
    pub(crate) fn add(&mut self, name: &str, descriptor: &str) -> i32 {
        writeln!(self.text, "{name} {descriptor}").unwrap();
        self.count += 1;
        self.count - 1
    }
}

/// A program ready to run.
pub(crate) struct Program {
    pub(crate) classes: Classes,
    pub(crate) woven: Vec<(String, Woven)>,
    sites: Sites,
}

/// Weaves every class of a program.
pub(crate) fn weave_all(
    classes: &Classes,
    link: Link,
    plan: &mut dyn FnMut(&MethodInfo<'_>) -> Option<Plan>,
) -> Program {
    weave_sites(classes, link, &mut methods(plan))
}

/// The same with any planner.
pub(crate) fn weave_sites(classes: &Classes, link: Link, planner: &mut dyn Planner) -> Program {
    let mut program = Program { classes: Classes::new(), woven: Vec::new(), sites: Sites::default() };
    for (name, bytes) in classes {
        let sites = &mut program.sites;
        let mut number = |name: &str, descriptor: &str| sites.add(name, descriptor);
        let linkage = match link {
            Link::Dynamic => Linkage::Dynamic { class: "rt/Rt", method: "bootstrap" },
            Link::Direct => Linkage::Direct { class: "rt/Rt", method: "direct", site: &mut number },
        };
        let woven = weave(bytes, linkage, planner).unwrap_or_else(|e| panic!("{name}: {e}"));
        let new = woven.bytes.clone().unwrap_or_else(|| bytes.clone());
        cafebabe::parse_class(&new).unwrap_or_else(|e| panic!("{name}: {e}"));
        program.classes.insert(name.clone(), new);
        program.woven.push((name.clone(), woven));
    }
    program
}

impl Program {
    /// Fails if a planned method was left as it was.
    pub(crate) fn expect_none_skipped(&self) {
        for (name, woven) in &self.woven {
            assert_eq!(woven.skipped, [], "{name}");
            assert_eq!(woven.skipped_sites, [], "{name}");
        }
    }

    /// Runs `main` of a class; its standard output.
    pub(crate) fn run(&self, main: &str) -> Result<String, String> {
        self.run_with(main, &[])
    }

    /// The same with options for the JVM.
    pub(crate) fn run_with(&self, main: &str, options: &[&str]) -> Result<String, String> {
        let folder = TempDir::new().unwrap();
        write_classes(folder.path(), &self.classes);
        let sites = folder.path().join("sites.txt");
        fs_err::write(&sites, &self.sites.text).unwrap();
        let path = std::env::join_paths([folder.path(), runtime()]).unwrap();
        let mut command = Command::new(tool("java"));
        command.args(["-Xverify:all", "-Xshare:auto", "-XX:-PrintWarnings"]).args(options);
        command.arg(format!("-Drt.sites={}", sites.display())).arg("-cp").arg(path).arg(main);
        run(&mut command)
    }
}

/// Extracts a module of the JDK under test.
pub(crate) fn module(name: &str) -> Classes {
    let folder = TempDir::new().unwrap();
    let home = fixtures::JavaHome::at(&java_home()).unwrap();
    fixtures::extract_modules(&home, Some(name), folder.path()).unwrap();
    read_classes(&folder.path().join(name))
}

/// Home of the JDK under test, as it says itself.
fn java_home() -> PathBuf {
    let output = Command::new(tool("java")).args(["-XshowSettings:properties", "-version"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find_map(|line| line.trim().strip_prefix("java.home = ")).unwrap();
    line.into()
}
