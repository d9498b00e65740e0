//! What the vendors have in common.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::harness::{AgentProject, BuiltAgent, Jdk, Target, Test, fatagent, maven_artifact, with_jdk};

/// How long such an agent may take to start, on a machine that also does other things.
const PATIENCE: Duration = Duration::from_mins(3);
const JAVA_8: [&str; 2] = ["--release", "8"];
/// How a class that was added says which loader has it; `%` is its simple name.
const SAYS: &str = r#"System.err.println("added " + %.class.getName() + " by "
        + %.class.getClassLoader().getClass().getName() + ", seen as " + %.class.getResource("%.class"));"#;

/// An application that must not see what was added.
const APP: &str = r#"package shop;
public class Shop {
    public static void main(String[] names) throws Exception {
        for (String name : names) {
            try { System.out.println("visible " + Class.forName(name).getName()); } catch (ClassNotFoundException e) { }
        }
        System.out.println("shop is open");
        while (System.in.read() >= 0) { }
    }
}
"#;

/// A published agent.
pub(crate) struct Vendor {
    /// Maven coordinates.
    pub(crate) coordinates: &'static str,
    /// The section that is added to.
    pub(crate) section: &'static str,
    /// The suffix of its classes.
    pub(crate) suffix: &'static str,
    /// Classes of the section that what is added is compiled against, without suffix.
    pub(crate) api: &'static [&'static str],
    /// The service that makes the agent load a class.
    pub(crate) service: &'static str,
    /// Options that keep the agent from sending anything.
    pub(crate) options: &'static [&'static str],
}

impl Vendor {
    /// The published jar.
    #[track_caller]
    pub(crate) fn jar(&self) -> PathBuf {
        maven_artifact(self.coordinates)
    }

    /// A jar with one class, a provider of the vendor's service. `%says%` in the source becomes what prints who loaded
    /// it.
    #[track_caller]
    pub(crate) fn provider(&self, test: &Test, class: &str, source: &str) -> Vec<u8> {
        let simple = class.rsplit('.').next().expect("a name");
        let source = source.replace("%says%", &SAYS.replace('%', simple));
        let path = format!("{}.java", class.replace('.', "/"));
        let api = self.api_classes(test);
        let mut options = JAVA_8.to_vec();
        options.extend(["-Xlint:-options", "-cp", api.to_str().expect("UTF-8")]);
        let classes = test.compile_with(&[(&path, &source)], &options);
        let service = format!("META-INF/services/{}", self.service);
        let jar = fixtures::Jar::new().tree(&classes).expect("classes").file(&service, class.as_bytes());
        jar.bytes().expect("a jar")
    }

    /// A folder with the classes of the API, out of the section, and with all that lies at the root.
    fn api_classes(&self, test: &Test) -> PathBuf {
        let folder = test.folder().join("api");
        let jar = self.jar();
        for class in self.api {
            let masked = format!("{}/{class}{}", self.section, self.suffix);
            let bytes = fixtures::read_entry(&jar, &masked)
                .or_else(|_| fixtures::read_entry(&jar, &format!("{class}.class")))
                .unwrap_or_else(|error| panic!("{error}"));
            let file = folder.join(format!("{class}.class"));
            fs_err::create_dir_all(file.parent().expect("a package")).expect("a folder");
            fs_err::write(file, bytes).expect("a class");
        }
        folder
    }

    /// The project that adds `added.jar` to the section; `more` ends its `agent.toml`.
    pub(crate) fn project(&self, name: &str, added: Vec<u8>, more: &str) -> AgentProject {
        let jar = self.jar();
        let toml = format!(
            "[agent]\nname = \"{name}\"\nversion = \"1.0.0\"\nlayout = \"foreign\"\nbase = {{ file = '{}' }}\n\n\
             [[section]]\npath = \"{}\"\nsuffix = \"{}\"\nfrom = [\"added.jar\"]\n\n{more}",
            jar.display(),
            self.section,
            self.suffix,
        );
        AgentProject::new(name, &toml).file("added.jar", added)
    }

    /// Builds the project, verifies the jar, and checks that it differs from the published one by exactly `changes`, in
    /// the words of `fatagent diff`.
    #[track_caller]
    pub(crate) fn build(&self, test: &Test, project: &AgentProject, changes: &[&str]) -> BuiltAgent {
        let built = project.build_by(|| {
            let mut command = fatagent();
            with_jdk(&mut command);
            command
        });
        test.run(fatagent().arg("verify").arg(&built.jar)).expect_code(0);
        let shown = test.run(fatagent().arg("diff").arg(self.jar()).arg(&built.jar)).expect_code(1).stdout;
        // The size of a changed file follows its name.
        let found: BTreeSet<&str> =
            shown.lines().filter_map(|line| line.strip_prefix("  ")?.split(',').next()).collect();
        assert_eq!(found, changes.iter().copied().collect(), "{shown}\n{}", built.stderr);
        built
    }

    /// Starts the application with the agent, and checks that it does not see the `hidden` classes. Returns what the
    /// agent wrote.
    #[track_caller]
    pub(crate) fn start(&self, test: &Test, jdk: &Jdk, jar: &Path, hidden: &[&str]) -> String {
        let classes = test.compile_with(&[("shop/Shop.java", APP)], &["--release", "8", "-Xlint:-options"]);
        let builder = Target::builder(jdk).unverified().class_path(classes).main("shop.Shop");
        let builder = self.options.iter().fold(builder, |builder, option| builder.jvm_option(*option));
        let builder = hidden.iter().fold(builder, |builder, name| builder.arg(*name));
        let target = builder.jvm_option(format!("-javaagent:{}", jar.display())).launch().patience(PATIENCE);
        target.wait_for_line("shop is open");
        target.close_stdin();
        let output = target.wait_exit().expect_code(0);
        // Some agents log to standard output.
        assert!(!output.stdout.contains("visible "), "{}", output.stdout);
        output.stderr
    }

    /// The published jar holds what a foreign agent has to: `verify` and `inspect` say so, and which sections it has.
    #[track_caller]
    pub(crate) fn check_published(&self, test: &Test, sections: &[&str], entry_class: &str) {
        let jar = self.jar();
        test.run(fatagent().arg("verify").arg(&jar)).expect_code(0);
        let shown = test.run(fatagent().arg("inspect").arg(&jar)).expect_code(0).stdout;
        let words: Vec<&str> = shown.split_whitespace().collect();
        for section in sections {
            let named = words.windows(2).any(|pair| pair == ["section", format!("{section},").as_str()]);
            assert!(named, "section `{section}` in\n{shown}");
        }
        assert!(shown.contains("for a loader of its own") && words.contains(&entry_class), "{shown}");
    }
}

/// Checks that the class was loaded by this loader, and from this place.
#[track_caller]
pub(crate) fn expect_added(stderr: &str, class: &str, loader: &str, place: &str) {
    let start = format!("added {class} by {loader}, seen as ");
    let line = stderr.lines().find(|line| line.starts_with(&start));
    assert!(line.is_some_and(|line| line.ends_with(place)), "`{start}…{place}` in\n{stderr}");
}
