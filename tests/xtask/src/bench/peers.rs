//! The peers that merging is measured beside.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use fixtures::JavaHome;

use super::inputs::{ASM, Set};
use super::measure::Job;

/// The version of maven-shade-plugin.
const SHADE: &str = "3.6.0";

/// A POM of the given dependencies and plugins.
pub(super) fn pom(name: &str, dependencies: &str, plugins: &str) -> String {
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\n\
         <groupId>bench</groupId><artifactId>{name}</artifactId><version>1</version>\n\
         <dependencies>\n{dependencies}</dependencies>\n<build><plugins>{plugins}</plugins></build></project>\n"
    )
}

/// `zipmerge`: raw copies, the last of one name wins, and no rule at all.
pub(super) fn zipmerge(jars: &[String], folder: &Path) -> Job {
    let output = folder.join("zipmerge.jar");
    let mut arguments = vec!["-s".to_owned(), output.display().to_string()];
    arguments.extend_from_slice(jars);
    Job { name: "zipmerge", program: "zipmerge".into(), arguments, output: Some(output) }
}

/// maven-shade-plugin with services merged, and with the relocations of the set or without.
pub(super) fn shade(set: &Set, relocate: bool, folder: &Path) -> Result<Job> {
    let name = if relocate { "maven-shade-plugin, 8 relocations" } else { "maven-shade-plugin" };
    let project = folder.join(format!("shade-{}-{relocate}", set.name));
    fs_err::create_dir_all(&project)?;
    let pom_file = project.join("pom.xml");
    let plugin = plugin(&if relocate { relocations(set) } else { String::new() });
    fs_err::write(&pom_file, pom("shaded", &set.dependencies(), &plugin))?;
    // The jar of a run before would be shaded once more.
    let output = Some(project.join("target").join("shaded-1.jar"));
    let arguments = ["-q", "-B", "-f"].map(str::to_owned).into_iter();
    let arguments = arguments.chain([pom_file.display().to_string(), "package".into()]).collect();
    Ok(Job { name, program: "mvn".into(), arguments, output })
}

/// A program that measures ASM, warm, in memory and on one thread.
pub(super) struct Asm {
    java: PathBuf,
    class_path: String,
    main: &'static str,
}

impl Asm {
    /// What relocates.
    pub(super) fn remapping(folder: &Path) -> Result<Self> {
        Self::compile("AsmRemap", include_str!("../../../bench/AsmRemap.java"), folder)
    }

    /// What visits the calls.
    pub(super) fn scanning(folder: &Path) -> Result<Self> {
        Self::compile("AsmScan", include_str!("../../../bench/AsmScan.java"), folder)
    }

    /// What inserts calls, for this JDK.
    pub(super) fn weaving(folder: &Path, home: &JavaHome) -> Result<Self> {
        Self::compile_with(home, "AsmWeave", include_str!("../../../bench/AsmWeave.java"), folder)
    }

    /// What inserts calls with the JDK's own API and no ASM, for Java 25 and newer.
    pub(super) fn class_file_api(folder: &Path, home: &JavaHome) -> Result<Self> {
        Self::compile_with(home, "ClassFileWeave", include_str!("../../../bench/ClassFileWeave.java"), folder)
    }

    fn compile(main: &'static str, source: &str, folder: &Path) -> Result<Self> {
        Self::compile_with(&fixtures::compiler_home()?, main, source, folder)
    }

    fn compile_with(home: &JavaHome, main: &'static str, source: &str, folder: &Path) -> Result<Self> {
        let libraries = ASM.jars(folder)?;
        let classes = folder.join(format!("asm-classes-{}", home.feature));
        let class_path = libraries.join(":");
        let sources =
            [(&*format!("{main}.java"), source), ("WarmClasses.java", include_str!("../../../bench/WarmClasses.java"))];
        fixtures::javac_of(home, &sources, &["-cp", &class_path], &classes)?;
        let java = home.tool("java").context("the JDK has no `java`")?;
        Ok(Self { java, class_path: format!("{}:{class_path}", classes.display()), main })
    }

    /// Its speed, in MB/s of class bytes.
    pub(super) fn speed(&self, arguments: &[String]) -> Result<f64> {
        self.figure(arguments, "median ", " MB/s")
    }

    /// How long [`Self::weaving`] takes for one class in a cold JVM, in microseconds.
    pub(super) fn cold(&self, class: &Path) -> Result<f64> {
        self.figure(&["cold".to_owned(), class.display().to_string()], "cold ", " us")
    }

    fn figure(&self, arguments: &[String], before: &str, unit: &str) -> Result<f64> {
        let mut command = Command::new(&self.java);
        command.arg("-cp").arg(&self.class_path).arg(self.main).args(arguments);
        let output = fixtures::run(&mut command, Duration::from_mins(10))?;
        anyhow::ensure!(output.status.success(), "{}: {}", output.status, output.both());
        let figure = output.stdout.lines().find_map(|line| line.strip_prefix(before)?.strip_suffix(unit));
        Ok(figure.with_context(|| format!("no figure in `{}`", output.stdout.trim()))?.parse()?)
    }
}

/// The arguments of [`Asm::remapping`]: the prefixes that move, counted, and the jars.
pub(super) fn remapped(set: &Set, jars: &[String]) -> Vec<String> {
    let prefixes = set.packages.iter().map(|package| format!("{}/", package.replace('.', "/")));
    std::iter::once(set.packages.len().to_string()).chain(prefixes).chain(jars.iter().cloned()).collect()
}

fn plugin(relocations: &str) -> String {
    format!(
        "<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-shade-plugin</artifactId>\n\
         <version>{SHADE}</version><executions><execution><phase>package</phase><goals><goal>shade</goal></goals>\n\
         <configuration><createDependencyReducedPom>false</createDependencyReducedPom>\n\
         <transformers><transformer implementation=\
         \"org.apache.maven.plugins.shade.resource.ServicesResourceTransformer\"/></transformers>\n\
         <relocations>{relocations}</relocations></configuration></execution></executions></plugin>"
    )
}

fn relocations(set: &Set) -> String {
    let relocation = |package: &&str| {
        let below = |stay: &&&str| stay.strip_prefix(package).is_some_and(|rest| rest.starts_with('.'));
        let stay = set.stay.iter().filter(below).map(|stay| format!("<exclude>{stay}.**</exclude>"));
        let stay: String = stay.collect();
        format!(
            "<relocation><pattern>{package}.</pattern><shadedPattern>shadow.{package}.</shadedPattern>\
             <excludes>{stay}</excludes></relocation>\n"
        )
    };
    set.packages.iter().map(relocation).collect()
}

#[cfg(test)]
mod tests {
    use super::super::inputs::MEDIUM;
    use super::*;

    #[test]
    fn what_stays_is_excluded_from_the_rule_above_it() {
        let text = relocations(&MEDIUM);
        assert_eq!(text.matches("<exclude>").count(), 1);
        assert!(text.contains("shadow.io.grpc.</shadedPattern><excludes><exclude>io.grpc.netty.shaded.**</exclude>"));
    }
}
