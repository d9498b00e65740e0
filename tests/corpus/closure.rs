//! Libraries with all that they need, as Maven resolves them.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::harness::{once, step, target_folder};

/// How long Maven may take.
const LIMIT: Duration = Duration::from_mins(8);

/// The jars of `coordinates`, `group:artifact:version`, and of what they need at run time, sorted by name. They are
/// fetched once and kept in the cache under `name`.
#[track_caller]
pub(crate) fn closure(name: &str, coordinates: &[&str]) -> Vec<PathBuf> {
    let mut pom = "<project><modelVersion>4.0.0</modelVersion><groupId>corpus</groupId>\
                   <artifactId>corpus</artifactId><version>1</version><dependencies>"
        .to_owned();
    for coordinates in coordinates {
        let parts: Vec<&str> = coordinates.split(':').collect();
        let [group, artifact, version] = parts[..] else { panic!("not `group:artifact:version`: `{coordinates}`") };
        write!(
            pom,
            "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>\
             <version>{version}</version></dependency>"
        )
        .expect("a string");
    }
    pom.push_str("</dependencies></project>");
    step(format!("fetching the libraries `{name}`"));
    let cache = std::env::var_os("FATAGENT_TEST_CACHE").map_or_else(|| target_folder().join("cache"), PathBuf::from);
    let place = cache.join("closure").join(name);
    let fetched = once(&place, |folder| {
        fs_err::write(folder.join("pom.xml"), &pom).map_err(|error| error.to_string())?;
        let mut maven = Command::new("mvn");
        maven.current_dir(folder).args(["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"]);
        let output = fixtures::run(maven.arg("-DoutputDirectory=."), LIMIT).map_err(|error| error.to_string())?;
        if output.status.success() { Ok(()) } else { Err(format!("{}\n{}", output.status, output.both())) }
    });
    if let Err(why) = fetched {
        panic!("cannot fetch the libraries `{name}`: {why}");
    }
    assert_eq!(fs_err::read_to_string(place.join("pom.xml")).expect("a pom"), pom, "the cache holds another `{name}`");
    let mut jars: Vec<PathBuf> = fs_err::read_dir(&place)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "jar"))
        .collect();
    jars.sort();
    jars
}
