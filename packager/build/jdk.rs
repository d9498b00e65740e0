//! Finds and runs javac.

use std::{
    env::{self, consts::EXE_SUFFIX},
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, anyhow, bail};

/// The lowest javac that can compile the class for Java 24 and newer, which names a package of a module.
const LOWEST: u32 = 17;

/// A javac that is new enough.
pub(crate) struct Javac {
    program: PathBuf,
}

/// Where javac is looked for.
pub(crate) struct Search {
    /// The value of `JAVA_HOME`.
    pub(crate) java_home: Option<OsString>,
    /// The value of `PATH`.
    pub(crate) path: OsString,
}

impl Search {
    /// What this process's environment says.
    pub(crate) fn from_environment() -> Self {
        Self { java_home: env::var_os("JAVA_HOME"), path: env::var_os("PATH").unwrap_or_default() }
    }

    /// Looks in `JAVA_HOME`, then in `PATH`, and takes the first javac that is new enough.
    ///
    /// Fails with one message that lists what was found and says what to do.
    pub(crate) fn javac(&self) -> Result<Javac> {
        self.search().map_err(|looked| {
            anyhow!(
                "a JDK of version {LOWEST} or newer is needed to compile the Java half of the agent: {}\n\
                 hint: install a JDK (a runtime without javac is not enough) and set `JAVA_HOME` to its folder, \
                 or set `FATAGENT_BASE` to an agent jar built elsewhere",
                looked.join(", ")
            )
        })
    }

    /// The javac, or for each place why it has none.
    fn search(&self) -> Result<Javac, Vec<String>> {
        let mut looked = Vec::new();
        let name = format!("javac{EXE_SUFFIX}");
        match self.java_home.as_ref().filter(|home| !home.is_empty()) {
            None => looked.push("`JAVA_HOME` is not set".to_owned()),
            Some(home) => match judge(&Path::new(home).join("bin").join(&name)) {
                Ok(javac) => return Ok(javac),
                Err(reason) => looked.push(format!("in `JAVA_HOME` {reason}")),
            },
        }
        match env::split_paths(&self.path).map(|folder| folder.join(&name)).find(|program| program.is_file()) {
            None => looked.push("no javac in `PATH`".to_owned()),
            Some(program) => match judge(&program) {
                Ok(javac) => return Ok(javac),
                Err(reason) => looked.push(format!("in `PATH` {reason}")),
            },
        }
        Err(looked)
    }
}

fn judge(program: &Path) -> Result<Javac, String> {
    let shown = program.display();
    if !program.is_file() {
        return Err(format!("there is no `{shown}`"));
    }
    let output = command(program).arg("-version").output().map_err(|e| format!("`{shown}` does not start: {e}"))?;
    // Java 8 answers on stderr, later ones on stdout.
    let mut answer = String::from_utf8_lossy(&output.stdout).into_owned();
    answer.push_str(&String::from_utf8_lossy(&output.stderr));
    let answer = answer.trim();
    match major(answer) {
        Some(version) if version >= LOWEST => Ok(Javac { program: program.to_owned() }),
        Some(version) => Err(format!("`{shown}` is of version {version}")),
        None => Err(format!("`{shown}` does not tell its version: `{}`", answer.lines().next().unwrap_or_default())),
    }
}

/// Reads `javac 17.0.15`, `javac 25` and `javac 1.8.0_402`.
fn major(answer: &str) -> Option<u32> {
    let version = answer.lines().find_map(|line| line.strip_prefix("javac "))?;
    let mut numbers = version.split(|c: char| !c.is_ascii_digit());
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        first => Some(first),
    }
}

fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    // Options and class paths of the user's environment would make the result depend on it.
    for variable in ["JDK_JAVAC_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"] {
        command.env_remove(variable);
    }
    command
}

impl Javac {
    /// Compiles `sources` into the folder `into`, which is emptied first.
    ///
    /// `options` come before the ones that every call has; `class_path` may be empty, which means nothing but the JDK.
    pub(crate) fn compile(&self, options: &[&str], class_path: &Path, sources: &[PathBuf], into: &Path) -> Result<()> {
        if into.exists() {
            fs_err::remove_dir_all(into)?;
        }
        fs_err::create_dir_all(into)?;
        let class_path = if class_path.as_os_str().is_empty() { into } else { class_path };
        // The list goes through a file, because a command line is limited in length.
        let mut list = String::new();
        for source in sources {
            let path = source.to_str().with_context(|| format!("not UTF-8: `{}`", source.display()))?;
            list.push('"');
            list.push_str(&path.replace('\\', "\\\\").replace('"', "\\\""));
            list.push_str("\"\n");
        }
        let list_file = into.with_extension("sources");
        fs_err::write(&list_file, list)?;
        let mut argument = OsString::from("@");
        argument.push(&list_file);
        let output = command(&self.program)
            .args(options)
            .args(["-Xlint:-options", "-g:source,lines", "-encoding", "UTF-8", "-proc:none", "-implicit:none"])
            .arg("-classpath")
            .arg(class_path)
            .arg("-d")
            .arg(into)
            .arg(argument)
            .output()
            .with_context(|| format!("cannot start `{}`", self.program.display()))?;
        if !output.status.success() {
            bail!(
                "javac failed with {}\n{}{}",
                output.status,
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(())
    }
}
