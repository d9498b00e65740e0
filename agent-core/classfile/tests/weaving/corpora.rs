//! What is woven: modules of JDKs, and libraries that Maven fetches.

use crate::Failure;
use classfile::{ClassFile, access};
use fixtures::{extract_modules, java_homes};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Classes that belong together.
pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    from: From,
    /// The slice that CI runs has each class of this number; none if it leaves the corpus out.
    pub(crate) every: Option<usize>,
}

enum From {
    /// All modules of an installed JDK of this release.
    Jdk(u32),
    /// Libraries with what they need.
    Maven(&'static [&'static str]),
}

/// Everything. Those with a slice are small to fetch.
pub(crate) static CORPORA: [Corpus; 14] = [
    Corpus { name: "jdk-17", from: From::Jdk(17), every: Some(24) },
    Corpus { name: "jdk-25", from: From::Jdk(25), every: Some(24) },
    Corpus {
        name: "spark",
        from: From::Maven(&[
            "org.apache.spark:spark-sql_2.13:4.0.1",
            "org.apache.spark:spark-hive_2.13:4.0.1",
            "org.apache.spark:spark-mllib_2.13:4.0.1",
            "org.apache.spark:spark-yarn_2.13:4.0.1",
            "org.apache.spark:spark-kubernetes_2.13:4.0.1",
        ]),
        every: None,
    },
    Corpus {
        name: "hadoop",
        from: From::Maven(&[
            "org.apache.hadoop:hadoop-client-api:3.4.1",
            "org.apache.hadoop:hadoop-client-runtime:3.4.1",
        ]),
        every: None,
    },
    Corpus { name: "guava", from: From::Maven(&["com.google.guava:guava:33.4.0-jre"]), every: Some(6) },
    Corpus { name: "netty", from: From::Maven(&["io.netty:netty-all:4.1.118.Final"]), every: None },
    Corpus {
        name: "kotlin",
        from: From::Maven(&[
            "org.jetbrains.kotlin:kotlin-reflect:2.1.0",
            "org.jetbrains.kotlin:kotlin-compiler-embeddable:2.1.0",
            "org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.10.1",
        ]),
        every: None,
    },
    Corpus { name: "scala-2.12", from: From::Maven(&["org.scala-lang:scala-compiler:2.12.20"]), every: None },
    Corpus { name: "scala-2.13", from: From::Maven(&["org.scala-lang:scala-compiler:2.13.15"]), every: None },
    Corpus {
        name: "scala-3",
        from: From::Maven(&["org.scala-lang:scala3-library_3:3.3.4", "org.scala-lang:scala3-compiler_3:3.3.4"]),
        every: None,
    },
    Corpus {
        name: "groovy",
        from: From::Maven(&[
            "org.apache.groovy:groovy:4.0.24",
            "org.apache.groovy:groovy-json:4.0.24",
            "org.apache.groovy:groovy-xml:4.0.24",
            "org.apache.groovy:groovy-sql:4.0.24",
            "org.apache.groovy:groovy-console:4.0.24",
        ]),
        every: Some(24),
    },
    Corpus { name: "clojure", from: From::Maven(&["org.clojure:clojure:1.12.0"]), every: Some(12) },
    Corpus {
        name: "byte-buddy",
        from: From::Maven(&["net.bytebuddy:byte-buddy:1.15.11", "net.bytebuddy:byte-buddy-agent:1.15.11"]),
        every: Some(12),
    },
    // Compilers of before 2006: subroutines, and no stack map frames.
    Corpus {
        name: "old",
        from: From::Maven(&[
            "xerces:xercesImpl:2.8.1",
            "hsqldb:hsqldb:1.8.0.10",
            "commons-collections:commons-collections:3.1",
            "log4j:log4j:1.2.17",
            "org.codehaus.groovy:groovy-all:1.8.9",
            "rhino:js:1.7R2",
            "bsh:bsh:1.3.0",
            "antlr:antlr:2.7.7",
            "oro:oro:2.0.8",
            "dom4j:dom4j:1.6.1",
            "ant:ant:1.6.5",
            "cglib:cglib-nodep:2.2",
            "c3p0:c3p0:0.9.1.2",
        ]),
        every: Some(12),
    },
];

/// The classes of a corpus, each name once as on a class path, in the order of the archives.
pub(crate) struct Classes {
    places: Vec<Place>,
    /// One line a class: name, supertype and `I` for an interface, by tabulators.
    pub(crate) hierarchy: String,
    /// What a JVM would have as class path; nothing for a JDK.
    pub(crate) jars: Vec<PathBuf>,
    _folder: Option<TempDir>,
}

/// An archive or folder, and the classes in it that are woven.
struct Place {
    path: PathBuf,
    names: Vec<String>,
}

impl Corpus {
    /// Fetches and lists the classes, or those of the slice.
    pub(crate) fn classes(&self, slice: bool) -> Result<Classes, Failure> {
        let every = self.every.filter(|_| slice).unwrap_or(1);
        let (places, jars, folder) = match self.from {
            From::Jdk(feature) => {
                let folder = extract(feature)?;
                (vec![folder.path().to_path_buf()], Vec::new(), Some(folder))
            }
            From::Maven(coordinates) => {
                let jars = fixtures::libraries(&cache(), self.name, coordinates).map_err(with_hint)?;
                (jars.clone(), jars, None)
            }
        };
        let mut classes = Classes { places: Vec::new(), hierarchy: String::new(), jars, _folder: folder };
        let mut seen = HashSet::new();
        let mut known = BTreeMap::new();
        let mut number = 0;
        for path in places {
            let mut names = Vec::new();
            read(&path, None, &mut |name, class| {
                let Ok(parsed) = ClassFile::parse(class) else {
                    // Some libraries hold files of that name that are none.
                    return Ok(());
                };
                if !seen.insert(name.to_owned()) || parsed.access() & access::MODULE != 0 {
                    return Ok(());
                }
                if let Some(this) = parsed.this_str() {
                    let kind = if parsed.access() & access::INTERFACE == 0 { "C" } else { "I" };
                    let super_class = parsed.super_str().unwrap_or_default();
                    known.entry(this.to_owned()).or_insert_with(|| format!("{super_class}\t{kind}"));
                }
                if number % every == 0 {
                    names.push(name.to_owned());
                }
                number += 1;
                Ok(())
            })?;
            classes.places.push(Place { path, names });
        }
        for (name, rest) in known {
            writeln!(classes.hierarchy, "{name}\t{rest}")?;
        }
        Ok(classes)
    }
}

impl Classes {
    pub(crate) fn len(&self) -> usize {
        self.places.iter().map(|place| place.names.len()).sum()
    }

    /// Hands out each class.
    pub(crate) fn each(&self, take: &mut dyn FnMut(&[u8]) -> Result<(), Failure>) -> Result<(), Failure> {
        self.places.iter().try_for_each(|place| read(&place.path, Some(&place.names), &mut |_, class| take(class)))
    }
}

/// Takes the path and the bytes of a class.
type Taking<'t> = dyn FnMut(&str, &[u8]) -> Result<(), Failure> + 't;

/// Hands out class files of an archive or folder: all of them, or those named.
fn read(place: &Path, names: Option<&[String]>, take: &mut Taking<'_>) -> Result<(), Failure> {
    if place.is_dir() {
        let Some(names) = names else {
            for entry in walkdir::WalkDir::new(place).sort_by_file_name() {
                let entry = entry?;
                if entry.path().extension().is_some_and(|end| end == "class") {
                    let name = entry.path().strip_prefix(place)?.to_str().unwrap_or_default();
                    take(name, &fs_err::read(entry.path())?)?;
                }
            }
            return Ok(());
        };
        return names.iter().try_for_each(|name| take(name, &fs_err::read(place.join(name))?));
    }
    let mut archive = zip::ZipArchive::new(fs_err::File::open(place)?)?;
    let all: Vec<String>;
    let names = if let Some(names) = names {
        names
    } else {
        all = archive
            .file_names()
            .filter_map(|name| name.ok().filter(|name| name.ends_with(".class")).map(Cow::into_owned))
            .collect();
        &all
    };
    let mut bytes = Vec::new();
    for name in names {
        bytes.clear();
        archive.by_name(name)?.read_to_end(&mut bytes)?;
        take(name, &bytes)?;
    }
    Ok(())
}

/// All modules of an installed JDK.
fn extract(feature: u32) -> Result<TempDir, Failure> {
    let home = java_homes().into_iter().find(|home| home.feature == feature && home.tool("jimage").is_some());
    let Some(home) = home else {
        return Err(format!(
            "no JDK {feature} with `jimage`; hint: install one (`apt-get install openjdk-{feature}-jdk-headless`) or set `JAVA_HOME`"
        )
        .into());
    };
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR"))?;
    extract_modules(&home, None, folder.path()).map_err(with_hint)?;
    Ok(folder)
}

/// Where libraries are kept once they are fetched.
fn cache() -> PathBuf {
    let target = || Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder").join("cache");
    std::env::var_os("FATAGENT_TEST_CACHE").map_or_else(target, PathBuf::from)
}

fn with_hint(error: fixtures::Error) -> Failure {
    match error.hint() {
        Some(hint) => format!("{error}; hint: {hint}").into(),
        None => error.into(),
    }
}
