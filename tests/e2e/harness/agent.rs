//! Building fat agents with the real `fatagent`, each distinct one once per test process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use super::folders;
use super::registry::{hold, step};
use super::target::scrub;

/// How long one build may take.
const LIMIT: Duration = Duration::from_mins(3);

/// The `fatagent` under test, ready to be given arguments.
pub(crate) fn fatagent() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fatagent"));
    scrub(&mut command);
    command
}

/// The sources of a fat agent: an `agent.toml` and what lies beside it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AgentProject {
    name: String,
    files: BTreeMap<String, Vec<u8>>,
}

/// A fat agent that was built.
#[derive(Debug, Clone)]
pub(crate) struct BuiltAgent {
    /// The jar, `<name>.jar` in a folder of its own.
    pub(crate) jar: PathBuf,
    /// The folder of `agent.toml`.
    pub(crate) folder: PathBuf,
    /// What the build wrote to standard output.
    pub(crate) stdout: String,
    /// What the build wrote to standard error.
    pub(crate) stderr: String,
}

impl AgentProject {
    /// A project whose jar is called `<name>.jar`.
    pub(crate) fn new(name: &str, agent_toml: &str) -> Self {
        let files = BTreeMap::from([("agent.toml".to_owned(), agent_toml.as_bytes().to_vec())]);
        Self { name: name.to_owned(), files }
    }

    /// Adds a file, by its path relative to `agent.toml`.
    pub(crate) fn file(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.to_owned(), content.into());
        self
    }

    /// Adds every file below `folder` under the relative path `prefix`.
    pub(crate) fn tree(mut self, prefix: &str, folder: &Path) -> Self {
        for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
            let entry = entry.expect("a readable folder");
            if entry.file_type().is_file() {
                let relative = entry.path().strip_prefix(folder).expect("a path below the folder");
                let content = fs_err::read(entry.path()).expect("a readable file");
                self.files.insert(format!("{prefix}/{}", relative.display()), content);
            }
        }
        self
    }

    /// Writes the project into `folder`, for tests that run `fatagent` themselves.
    pub(crate) fn write(&self, folder: &Path) {
        for (path, content) in &self.files {
            let path = folder.join(path);
            fs_err::create_dir_all(path.parent().expect("a path below the folder")).expect("a folder");
            fs_err::write(path, content).expect("a file of the project");
        }
    }

    /// Builds the agent, or returns it if the same project was built before in this process. Tests must not change it.
    #[track_caller]
    pub(crate) fn build(&self) -> BuiltAgent {
        self.build_by(fatagent)
    }

    /// As [`Self::build`], with another program in place of `fatagent`.
    #[track_caller]
    pub(crate) fn build_by(&self, program: impl FnOnce() -> Command) -> BuiltAgent {
        type Slot = Arc<OnceLock<Result<BuiltAgent, String>>>;
        static BUILT: Mutex<BTreeMap<AgentProject, Slot>> = Mutex::new(BTreeMap::new());
        let slot = Arc::clone(hold(&BUILT).entry(self.clone()).or_default());
        step(format!("building the agent `{}`", self.name));
        // Others that want the same agent wait here, within their own limits.
        match slot.get_or_init(|| self.really_build(program())) {
            Ok(built) => built.clone(),
            Err(why) => panic!("building `{}` failed: {why}", self.name),
        }
    }

    fn really_build(&self, mut program: Command) -> Result<BuiltAgent, String> {
        let folder = tempfile::Builder::new().prefix("agent-").tempdir_in(folders::process_folder());
        let folder = folder.map_err(|error| error.to_string())?.keep();
        self.write(&folder);
        let jar = folder.join("out").join(format!("{}.jar", self.name));
        fs_err::create_dir_all(folder.join("out")).map_err(|error| error.to_string())?;
        program.current_dir(&folder).args(["build", "--file", "agent.toml", "-o"]).arg(&jar);
        let output = fixtures::run(&mut program, LIMIT).map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("{}\n{}", output.status, output.both()));
        }
        if !jar.is_file() {
            return Err(format!("no file `{}` was written\n{}", jar.display(), output.both()));
        }
        Ok(BuiltAgent { jar, folder, stdout: output.stdout, stderr: output.stderr })
    }
}
