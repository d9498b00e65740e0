//! A machine with a home, an agent and extensions.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use extensions::{Container, ContainerFile, Host, Request, Resolved, resolve};
use fixtures::Jar;
use manifests::arguments::AgentArguments;
use tempfile::TempDir;

pub(crate) struct World {
    folder: TempDir,
    pub(crate) host: Host,
    pub(crate) agents: Vec<PathBuf>,
    pub(crate) arguments: String,
    pub(crate) scripts: Vec<PathBuf>,
}

/// An API jar with this id and version, and more attributes.
pub(crate) fn api(id: &str, version: &str, attributes: &[(&str, &str)]) -> Jar {
    let service = format!("{}.Service", id.replace(['-', '.'], "_"));
    let class = format!("{}.class", service.replace('.', "/"));
    let mut jar = Jar::new()
        .attribute("BTrace-Extension-Id", id)
        .attribute("BTrace-Extension-Version", version)
        .attribute("BTrace-Extension-Services", &service);
    if !attributes.iter().any(|(name, _)| *name == "BTrace-Extension-Permissions") {
        jar = jar.attribute("BTrace-Extension-Permissions", "");
    }
    // Attributes of the value `-` are left out.
    for (name, value) in attributes.iter().filter(|(_, value)| *value != "-") {
        jar = jar.attribute(name, value);
    }
    jar.file(&class, format!("API of {id}").as_bytes())
}

pub(crate) fn implementation() -> Jar {
    Jar::new().file("impl/Impl.class", b"code")
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut host = Host { java: Some(17), ..Host::of_process() };
        host.variables = vec![
            ("HOME".into(), folder.path().join("home").into()),
            ("BTRACE_HOME".into(), folder.path().join("btrace").into()),
        ];
        // The machine that the test runs on may have extensions of its own.
        fs_err::create_dir_all(folder.path().join("system")).unwrap();
        let arguments = format!("systemExtensions={}", folder.path().join("system").display());
        Self { folder, host, agents: Vec::new(), arguments, scripts: Vec::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder for a file, made if it is not there.
    fn place(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    pub(crate) fn jar(&self, name: &str, jar: &Jar) -> PathBuf {
        let path = self.place(name);
        jar.write(&path).unwrap();
        path
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.place(name);
        fs_err::write(&path, text).unwrap();
        path
    }

    /// A folder with API and implementation, with the usual names.
    pub(crate) fn pair(&self, place: &str, id: &str, version: &str, attributes: &[(&str, &str)]) {
        self.jar(&format!("{place}/{id}/{id}-{version}-api.jar"), &api(id, version, attributes));
        self.jar(&format!("{place}/{id}/{id}-{version}-impl.jar"), &implementation());
    }

    /// A zip with both jars.
    pub(crate) fn zip(&self, path: &str, id: &str, version: &str, attributes: &[(&str, &str)]) -> PathBuf {
        let zip = Jar::new()
            .stored("x-api.jar", &api(id, version, attributes).bytes().unwrap())
            .stored("x-impl.jar", &implementation().bytes().unwrap());
        self.jar(path, &zip)
    }

    /// An agent jar that embeds extensions with their APIs, and carries a policy and settings.
    pub(crate) fn agent(&mut self, name: &str, ids: &[&str], files: &[(&str, &str)]) {
        let mut jar = Jar::new().attribute("BTrace-Embedded-Extensions", &ids.join(","));
        for id in ids.iter().filter(|id| !id.contains('/')) {
            let service = format!("{}.Service", id.replace(['-', '.'], "_"));
            let text = format!("id={id}\nversion=1.0.0\nservices={service}\npermissions=\n");
            jar = jar
                .file(&format!("META-INF/btrace-extensions/{id}/extension.properties"), text.as_bytes())
                .file(&format!("{}.class", service.replace('.', "/")), format!("API of {id}").as_bytes());
        }
        for (file, text) in files {
            jar = jar.file(file, text.as_bytes());
        }
        let path = self.jar(name, &jar);
        self.agents.push(path);
    }

    pub(crate) fn variable(&mut self, name: &str, value: impl Into<OsString>) {
        self.host.variables.push((name.to_owned(), value.into()));
    }

    pub(crate) fn argument(&mut self, text: &str) {
        self.arguments = format!("{},{text}", self.arguments);
    }

    pub(crate) fn resolve(&self) -> Resolved {
        let containers: Vec<ContainerFile> =
            self.agents.iter().map(|agent| ContainerFile::open(agent).unwrap()).collect();
        resolve(&Request {
            host: self.host.clone(),
            containers: containers.iter().map(|container| container as &dyn Container).collect(),
            arguments: AgentArguments::parse(&self.arguments).unwrap(),
            scripts: self.scripts.clone(),
            cached: true,
            only: None,
        })
    }

    /// Reports with `*` for the folder of this world.
    pub(crate) fn reports(&self, resolved: &Resolved) -> Vec<String> {
        resolved.reports.iter().map(|report| self.plain(report)).collect()
    }

    pub(crate) fn plain(&self, text: &str) -> String {
        text.replace(&*self.folder.path().to_string_lossy(), "*")
    }

    /// `id version place` of each extension, with why it cannot be used.
    pub(crate) fn listing(&self, resolved: &Resolved) -> Vec<String> {
        let one = |extension: &extensions::Extension| {
            let refusal = extension.refusal().map(|refusal| format!(": {}", self.plain(&refusal))).unwrap_or_default();
            format!("{} {} {}{refusal}", extension.metadata.id, extension.metadata.version, extension.place)
        };
        resolved.extensions.iter().map(one).collect()
    }
}

pub(crate) fn relative(path: &Path, world: &World) -> String {
    world.plain(&path.display().to_string())
}
