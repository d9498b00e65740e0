//! What is merged: sets of published jars, and a jar with very many classes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::tool::say;

/// How long fetching a set may take.
const LIMIT: Duration = Duration::from_mins(20);
/// Classes of the synthetic jar, and the packages that they lie in.
const CLASSES: usize = 40_000;
const PACKAGES: usize = 300;

/// ASM, which relocates and weaves classes in memory beside us. Relocating, it moves no more than names, and leaves texts alone.
pub(super) const ASM: Set = Set { name: "asm-9.9", list: "org.ow2.asm:asm-commons:9.9\n", packages: &[], stay: &[] };

/// JMH with its annotation processor.
pub(super) const JMH: Set = Set {
    name: "jmh",
    list: "org.openjdk.jmh:jmh-core:1.37\norg.openjdk.jmh:jmh-generator-annprocess:1.37\n",
    packages: &[],
    stay: &[],
};

/// The peer of dispatch as it was published.
pub(super) const BTRACE: Set = Set {
    name: "btrace",
    list: "io.btrace:btrace-agent:2.2.6\nio.btrace:btrace-boot:2.2.6\nio.btrace:btrace-client:2.2.6\n",
    packages: &[],
    stay: &[],
};

/// A library as sources, with the jars that it is compiled against.
pub(super) const GUAVA: Set =
    Set { name: "guava-sources", list: "com.google.guava:guava:33.4.0-jre:sources\n", packages: &[], stay: &[] };

/// A set of jars with the rules that it is relocated with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set {
    pub(super) name: &'static str,
    /// Maven coordinates, one a line.
    list: &'static str,
    /// Packages that move below `shadow`.
    pub(super) packages: &'static [&'static str],
    /// Packages below those that stay.
    pub(super) stay: &'static [&'static str],
}

/// A program with some libraries.
pub(super) const MEDIUM: Set = Set {
    name: "medium",
    list: include_str!("../../../bench/medium.txt"),
    packages: &[
        "com.google.common",
        "com.google.gson",
        "io.netty",
        "com.fasterxml.jackson",
        "kotlin",
        "net.bytebuddy",
        "io.grpc",
        "io.perfmark",
    ],
    stay: &["io.grpc.netty.shaded"],
};

/// Spark.
pub(super) const LARGE: Set = Set {
    name: "large",
    list: include_str!("../../../bench/large.txt"),
    packages: &[
        "com.google",
        "com.fasterxml.jackson",
        "io.netty",
        "org.apache.hadoop",
        "org.apache.commons",
        "org.apache.parquet",
        "org.apache.arrow",
        "org.json4s",
    ],
    // Its libraries export functions with the names of its classes.
    stay: &["org.apache.commons.crypto"],
};

impl Set {
    /// The coordinates as dependencies of a POM.
    pub(super) fn dependencies(&self) -> String {
        let lines = self.list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let dependency = |line: &str| {
            let parts: Vec<&str> = line.split(':').collect();
            let tags = ["groupId", "artifactId", "version", "classifier"].iter().zip(parts);
            let inner: Vec<String> = tags.map(|(tag, part)| format!("<{tag}>{part}</{tag}>")).collect();
            format!("<dependency>{}</dependency>\n", inner.concat())
        };
        lines.map(dependency).collect::<Vec<_>>().concat()
    }

    /// The options of `fatagent merge` that relocate it.
    pub(super) fn rules(&self) -> Vec<String> {
        let moved = self.packages.iter().map(|package| format!("--relocate={package}=shadow.{package}"));
        moved.chain(self.stay.iter().map(|package| format!("--relocate={package}={package}"))).collect()
    }

    /// Its jars, sorted; fetched with Maven below `folder` unless they are there already.
    pub(super) fn jars(&self, folder: &Path) -> Result<Vec<String>> {
        let place = folder.join(self.name);
        if !place.is_dir() {
            say(&format!("\n==> fetching the {} set", self.name));
            self.fetch(folder, &place)?;
        }
        let mut jars = Vec::new();
        for entry in fs_err::read_dir(&place)? {
            let path = entry?.path();
            jars.push(path.to_str().context("a path that is no text")?.to_owned());
        }
        jars.sort();
        Ok(jars)
    }

    fn fetch(&self, folder: &Path, place: &Path) -> Result<()> {
        fs_err::create_dir_all(folder)?;
        let pom = folder.join(format!("{}-pom.xml", self.name));
        fs_err::write(&pom, super::peers::pom(self.name, &self.dependencies(), ""))?;
        // A folder of another name until all is there.
        let partial = folder.join(format!("{}.partial", self.name));
        if partial.exists() {
            fs_err::remove_dir_all(&partial)?;
        }
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"]);
        maven.arg(format!("-DoutputDirectory={}", partial.display())).arg("-f").arg(&pom);
        let output = fixtures::run(&mut maven, LIMIT)?;
        if !output.status.success() {
            bail!("cannot fetch the {} set: {}\n{}", self.name, output.status, output.both().trim());
        }
        Ok(fs_err::rename(&partial, place)?)
    }
}

/// A jar of 40,000 classes that name one another, made below `folder` unless it is there already, and the rules that
/// move all of its packages.
pub(super) fn crowded(folder: &Path) -> Result<(PathBuf, Vec<String>)> {
    let place = folder.join("crowded.jar");
    if !place.is_file() {
        say(&format!("\n==> making a jar of {CLASSES} classes"));
        let mut jar = fixtures::Jar::new();
        for number in 0..CLASSES {
            jar = jar.file(&format!("{}.class", name(number)), &class(number));
        }
        let partial = folder.join("crowded.partial");
        jar.write(&partial)?;
        fs_err::rename(&partial, &place)?;
    }
    let rules = (0..PACKAGES).map(|number| format!("--relocate=io.n.p{number}=a.deps.io.n.p{number}")).collect();
    Ok((place, rules))
}

/// Internal name of a class of the crowded jar.
fn name(number: usize) -> String {
    format!("io/n/p{}/sub/Class{number}", number % PACKAGES)
}

/// An empty class whose constant pool names others, as a class, in descriptors and in a text.
fn class(number: usize) -> Vec<u8> {
    let mut pool: Vec<u8> = Vec::new();
    let mut count: u16 = 1;
    let mut text = |text: &str, tag: Option<u8>| {
        pool.push(1);
        pool.extend((text.len() as u16).to_be_bytes());
        pool.extend(text.as_bytes());
        count += 1;
        if let Some(tag) = tag {
            pool.push(tag);
            pool.extend((count - 1).to_be_bytes());
            count += 1;
        }
    };
    // Class constants have tag 7, method types 16 and strings 8.
    text(&name(number), Some(7));
    text("java/lang/Object", Some(7));
    for step in 1..20 {
        let other = name((number * 31 + step * 977) % CLASSES);
        text(&other, Some(7));
        text(&format!("(IL{other};Ljava/lang/String;)V"), Some(16));
        text(&format!("value{step}"), Some(8));
    }
    let mut class = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52];
    class.extend(count.to_be_bytes());
    class.extend(pool);
    // Public, itself, its superclass; no interfaces, fields, methods and attributes.
    class.extend([0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_become_dependencies_and_rules() {
        let text = LARGE.dependencies();
        let expected = "<dependency><groupId>org.apache.spark</groupId><artifactId>spark-sql_2.13</artifactId>\
                        <version>3.5.4</version></dependency>\n";
        assert_eq!(text, expected);
        assert_eq!(MEDIUM.dependencies().lines().count(), 10);
        assert!(GUAVA.dependencies().contains("<version>33.4.0-jre</version><classifier>sources</classifier>"));
        let rules = MEDIUM.rules();
        assert_eq!(rules[0], "--relocate=com.google.common=shadow.com.google.common");
        assert_eq!(rules[8..], ["--relocate=io.grpc.netty.shaded=io.grpc.netty.shaded"]);
    }
}
