//! Options of publishing.

use std::path::PathBuf;

use clap::Args;
use manifests::agent_toml::Coordinates;
use packager::archive::Limits;
use packager::ops::publish::Options;
use packager::publish::{About, Access, Given, How, Target};

#[derive(Debug, Args)]
pub(crate) struct PublishArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Server of Maven's `settings.xml` with user and password
    ///
    /// The variables `FATAGENT_REPOSITORY_USER` and `FATAGENT_REPOSITORY_PASSWORD` count more.
    #[arg(long, value_name = "ID", requires = "to")]
    server: Option<String>,
    /// Let credentials go over the network in clear text
    #[arg(long, requires = "to")]
    allow_insecure: bool,
    /// Group id
    #[arg(long, value_name = "G")]
    group: Option<String>,
    /// Artifact id; the extension's id or the agent's name by default
    #[arg(long, value_name = "A")]
    artifact: Option<String>,
    /// Jar with sources
    #[arg(long, value_name = "JAR")]
    sources: Option<PathBuf>,
    /// Jar with documentation
    #[arg(long, value_name = "JAR")]
    javadoc: Option<PathBuf>,
    /// Dependency of the API, or of an agent, for its description
    #[arg(long, value_name = "G:A:V", value_parser = coordinates)]
    dependency: Vec<Coordinates>,
    /// Description; that of the extension's manifest by default
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Licence for the description, by its SPDX identifier
    #[arg(long, value_name = "ID")]
    license: Option<String>,
    /// Page of the project for the description
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Developer or organization for the description
    #[arg(long, value_name = "NAME")]
    developer: Option<String>,
    /// Git repository of the sources for the description
    #[arg(long, value_name = "URL")]
    scm: Option<String>,
    /// Sign each file with `gpg`
    #[arg(long)]
    sign: bool,
    /// Key to sign with, as `gpg --local-user` takes it
    #[arg(long, requires = "sign")]
    key: Option<String>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct TargetArgs {
    /// Repository: a folder or a URL
    #[arg(long, value_name = "FOLDER|URL")]
    to: Option<PathBuf>,
    /// Write one file instead, as the portal of Maven Central takes it
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
}

fn coordinates(text: &str) -> Result<Coordinates, String> {
    text.parse().map_err(|error: manifests::coordinates::BadCoordinates| error.to_string())
}

impl PublishArgs {
    /// What they ask for.
    pub(crate) fn options(self, file: Option<PathBuf>, version: Option<String>, limits: Limits) -> Options {
        let about = About {
            description: self.description,
            url: self.url,
            license: self.license,
            developer: self.developer,
            scm: self.scm,
            ..About::default()
        };
        let target = match (self.target.bundle, self.target.to) {
            (Some(file), _) => Target::Bundle(file),
            (None, to) => Target::Repository(to.unwrap_or_default()),
        };
        Options {
            file,
            given: Given {
                group: self.group,
                artifact: self.artifact,
                version,
                about,
                dependencies: self.dependency,
                sources: self.sources,
                javadoc: self.javadoc,
            },
            how: How {
                target,
                access: Access { server: self.server, allow_insecure: self.allow_insecure },
                sign: self.sign,
                key: self.key,
            },
            limits,
        }
    }
}
