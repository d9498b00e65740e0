use super::*;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A folder with jars of these names.
fn folder(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in names {
        let path = folder.path().join(name);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let mut zip = ZipWriter::new(File::create(&path).expect("a file"));
        zip.start_file("a", SimpleFileOptions::default()).expect("an entry");
        zip.finish().expect("a zip");
    }
    folder
}

struct Case {
    folder: TempDir,
    attributes: LibraryAttributes,
    arguments: String,
    hatch: Option<Hatch>,
    home: Option<PathBuf>,
}

impl Case {
    fn new(names: &[&str]) -> Self {
        let attributes = LibraryAttributes::default();
        Self { folder: folder(names), attributes, arguments: String::new(), hatch: None, home: None }
    }

    fn plan(&self) -> Plan {
        let folder = fs_err::canonicalize(self.folder.path()).expect("a folder");
        plan(&Asked {
            jar: &folder.join("agent.jar"),
            attributes: &self.attributes,
            arguments: &AgentArguments::parse(&self.arguments).expect("arguments"),
            hatch: self.hatch.as_ref(),
            home: self.home.clone(),
        })
    }

    /// What is appended, relative to the folder of the agent jar.
    fn order(&self) -> Vec<String> {
        let folder = fs_err::canonicalize(self.folder.path()).expect("a folder");
        let plan = self.plan();
        assert_eq!(plan.lines, Vec::<String>::new());
        let name = |path: &Path| path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        plan.libraries.iter().map(|one| format!("{} {}", one.search.word(), name(&one.path))).collect()
    }

    fn line(&self) -> String {
        let plan = self.plan();
        assert_eq!((plan.libraries.len(), plan.lines.len()), (0, 1), "{plan:?}");
        plan.lines[0].clone()
    }

    fn open(&mut self, jar: &str, any_place: bool) {
        self.hatch = Some(Hatch { jar: jar.to_owned(), any_place });
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }
}

fn list(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn the_bootstrap_path_comes_first_and_profiles_are_sorted() {
    let names = [
        "l/z.jar",
        "l/b.jar",
        "l/p/boot/2.jar",
        "l/p/boot/10.JAR",
        "l/p/boot/no.txt",
        "l/p/system/x.jar",
        "l/my lib.jar",
        "l/50%20.jar",
        "a.jar",
    ];
    let mut case = Case::new(&names);
    case.attributes = LibraryAttributes {
        boot: list(&["z.jar", "b.jar", "50%20.jar"]),
        system: list(&["my%20lib.jar"]),
        root: Some("l".to_owned()),
        profile: Some("p".to_owned()),
    };
    let own = case.path("a.jar");
    case.arguments = format!("systemClassPath={own},bootClassPath={own}");
    let expected = [
        "bootstrap l/z.jar",
        "bootstrap l/b.jar",
        "bootstrap l/50%20.jar",
        "bootstrap l/p/boot/10.JAR",
        "bootstrap l/p/boot/2.jar",
        "bootstrap a.jar",
        "system l/my lib.jar",
        "system l/p/system/x.jar",
        "system a.jar",
    ];
    assert_eq!(case.order(), expected);
}

#[test]
fn what_cannot_be_used_is_named_and_the_rest_goes_on() {
    let mut case = Case::new(&["a.jar"]);
    fs_err::write(case.folder.path().join("text.jar"), "no zip").expect("a file");
    fs_err::create_dir(case.folder.path().join("folder.jar")).expect("a folder");
    case.attributes.boot = list(&["gone.jar", "text.jar", "folder.jar", "a.jar"]);
    case.attributes.profile = Some("../x".to_owned());
    let plan = case.plan();
    assert_eq!(plan.libraries.len(), 1, "{plan:?}");
    for (line, parts) in plan.lines.iter().zip([
        ["`../x` of BTrace-Libs-Profile in ", "it is no name of a folder"],
        ["`gone.jar` of BTrace-Boot-Libs in ", "there is no file "],
        ["`text.jar` of BTrace-Boot-Libs in ", " is no jar: "],
        ["`folder.jar` of BTrace-Boot-Libs in ", " is a folder, and only jars are taken"],
    ]) {
        assert!(parts.iter().all(|part| line.contains(part)) && line.contains("hint: "), "{line}");
    }
    assert_eq!(plan.lines.len(), 4, "{plan:?}");
}

#[test]
fn profiles_by_argument_are_refused_by_name() {
    let mut case = Case::new(&["spark/boot/a.jar"]);
    case.arguments = "libs=spark".to_owned();
    let line = case.plan().refusal.expect("a refusal");
    assert!(
        line.starts_with("libs=spark is refused: profiles are removed, and nothing of `spark` is loaded; hint: "),
        "{line}"
    );
}

#[test]
fn the_hatch_takes_one_jar_of_btrace_home_from_those_who_trust_it() {
    let mut case = Case::new(&["home/a.jar", "b.jar"]);
    let (inside, outside) = (case.path("home/a.jar"), case.path("b.jar"));
    let home = Some(case.folder.path().join("home"));
    case.open(&inside, false);
    case.home = home.clone();
    assert!(case.line().contains("the argument `trusted=true` is missing; hint: "));
    case.arguments = "trusted=true".to_owned();
    assert_eq!(case.order(), ["system home/a.jar"]);
    case.open(&outside, false);
    assert!(case.line().contains("is refused: it lies outside BTRACE_HOME, which is "));
    // A link into the folder does not make it lie there.
    std::os::unix::fs::symlink(&outside, case.folder.path().join("home/link.jar")).expect("a link");
    case.open(&case.path("home/link.jar"), false);
    assert!(case.line().contains("is refused: it lies outside BTRACE_HOME, which is "));
    case.open(&outside, true);
    assert_eq!(case.order(), ["system b.jar"]);
    case.open(&outside, false);
    case.home = None;
    let plan = case.plan();
    assert_eq!((plan.libraries.len(), plan.lines.len()), (1, 1), "{plan:?}");
    assert!(plan.lines[0].contains("is appended although it cannot be told whether it belongs to BTRACE_HOME"));
    case.home = home;
    case.open(&format!("{inside}:{outside}"), true);
    assert!(case.line().contains("it names several jars; hint: "));
    case.open("home/a.jar", true);
    assert!(case.line().contains("its path is relative; hint: "));
    case.open(&case.path("home/gone.jar"), false);
    assert!(case.line().contains("is skipped: there is no file "));
}
