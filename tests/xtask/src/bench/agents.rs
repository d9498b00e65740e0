//! Agents to measure: ours with precompiled probes, and an empty one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use fixtures::JavaHome;

use super::Bench;
use crate::tool::root;

const LIMIT: Duration = Duration::from_mins(3);

/// A fat agent.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) jar: PathBuf,
    /// Its core, for `-agentpath`.
    pub(super) library: PathBuf,
}

/// An extension to embed.
#[derive(Debug)]
pub(super) struct ExtensionFile {
    pub(super) zip: PathBuf,
    /// Classes of its API.
    pub(super) api: PathBuf,
}

/// A folder that is there and empty.
pub(super) fn emptied(folder: PathBuf) -> Result<PathBuf> {
    if folder.exists() {
        fs_err::remove_dir_all(&folder)?;
    }
    fs_err::create_dir_all(&folder)?;
    Ok(folder)
}

/// The newest JDK of a release, or what to install.
pub(super) fn jdk(feature: u32) -> Result<JavaHome> {
    let found = fixtures::java_homes().into_iter().find(|home| home.feature == feature && home.tool("javac").is_some());
    found.with_context(|| {
        format!("no JDK {feature} was found; hint: install one beside the others or name one in JAVA_HOME")
    })
}

/// A program of a JDK.
pub(super) fn tool(home: &JavaHome, name: &str) -> Result<PathBuf> {
    home.tool(name).with_context(|| format!("the JDK {} has no `{name}`", home.feature))
}

/// A path as an argument.
pub(super) fn text(path: &Path) -> Result<String> {
    Ok(path.to_str().with_context(|| format!("a path that is no text: {}", path.display()))?.to_owned())
}

/// Compiles probes, pairs of path and source, against our API into `out`, and against the APIs of extensions.
pub(super) fn compile(sources: &[(&str, &str)], extensions: &[ExtensionFile], out: &Path) -> Result<()> {
    let api = text(&root().join("agent-core/java/boot"))?;
    let mut options = vec!["--release", "8", "-Xlint:-options", "-proc:none", "-implicit:none", "-sourcepath", &api];
    let path = extensions.iter().map(|extension| text(&extension.api)).collect::<Result<Vec<_>>>()?.join(":");
    if !path.is_empty() {
        options.extend(["-cp", &path]);
    }
    Ok(fixtures::javac(sources, &options, out)?)
}

impl Bench {
    /// Builds an agent with these probes, pairs of path and source, and extensions, and takes its core out.
    pub(super) fn agent(&self, name: &str, probes: &[(&str, &str)], extensions: &[ExtensionFile]) -> Result<Agent> {
        let folder = emptied(self.folder.join(name))?;
        compile(probes, extensions, &folder.join("probes"))?;
        let mut toml =
            format!("[agent]\nname = \"{name}\"\nversion = \"1.0.0\"\n\n[probes]\ninclude = [\"probes/**/*.class\"]\n");
        for extension in extensions {
            let _ = write!(toml, "\n[[extension]]\nfile = \"{}\"\n", text(&extension.zip)?);
        }
        fs_err::write(folder.join("agent.toml"), toml)?;
        let jar = folder.join(format!("{name}.jar"));
        let mut build = Command::new(&self.fatagent);
        finished(build.current_dir(&folder).args(["build", "-q", "-o"]).arg(&jar))?;
        let mut extract = Command::new(&self.fatagent);
        let library = finished(extract.arg("extract").arg(&jar).arg("-o").arg(&folder))?;
        Ok(Agent { jar, library: PathBuf::from(library.trim_end()) })
    }
}

/// A Java agent that does nothing.
pub(super) fn empty(folder: &Path) -> Result<PathBuf> {
    let folder = emptied(folder.join("empty-agent"))?;
    let source = "public class Empty { public static void premain(String arguments) { } }";
    let classes = folder.join("classes");
    fixtures::javac(&[("Empty.java", source)], &["--release", "8", "-Xlint:-options"], &classes)?;
    let jar = folder.join("empty.jar");
    fixtures::Jar::new().attribute("Premain-Class", "Empty").tree(&classes)?.write(&jar)?;
    Ok(jar)
}

/// Runs a command to its end; returns what it printed.
pub(super) fn finished(command: &mut Command) -> Result<String> {
    let output = fixtures::run(command, LIMIT)?;
    ensure!(
        output.status.success(),
        "{}: {}\n{}",
        command.get_program().to_string_lossy(),
        output.status,
        output.both()
    );
    Ok(output.stdout)
}
