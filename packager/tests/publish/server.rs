//! A repository behind the HTTP server of a JDK.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::work::LIMIT;

/// The credentials that it knows.
pub(crate) const USER: &str = "deployer";
pub(crate) const PASSWORD: &str = "open: sesame ä";

pub(crate) struct Server {
    folder: TempDir,
    child: Child,
    port: u16,
    scheme: &'static str,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::launch(false)
    }

    /// With a certificate that is its own authority, see [`Self::certificate`].
    pub(crate) fn start_secure() -> Self {
        Self::launch(true)
    }

    fn launch(secure: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let classes = folder.path().join("classes");
        fixtures::javac(&[("RepositoryServer.java", include_str!("RepositoryServer.java"))], &[], &classes).unwrap();
        let java = fixtures::compiler_home().unwrap().tool("java").unwrap();
        let mut command = Command::new(java);
        command.arg("-Dfile.encoding=UTF-8").arg("-cp").arg(&classes).arg("RepositoryServer");
        command.arg(folder.path().join("files")).arg(folder.path().join("log"));
        // Arguments of a JVM depend on the locale, so the pair is plain: its bytes are those of UTF-8.
        command.arg(format!("{USER}:{PASSWORD}")).env("LC_ALL", "C.UTF-8");
        if secure {
            let store = folder.path().join("changeit");
            let keytool = |arguments: &[&str]| {
                let mut keytool = Command::new(fixtures::compiler_home().unwrap().tool("keytool").unwrap());
                keytool.args(arguments).arg("-keystore").arg(&store).args([
                    "-storepass",
                    "changeit",
                    "-alias",
                    "server",
                ]);
                let output = fixtures::run(&mut keytool, LIMIT).unwrap();
                assert!(output.status.success(), "{}", output.both());
            };
            keytool(&["-genkeypair", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1"]);
            let certificate = folder.path().join("certificate.pem").display().to_string();
            keytool(&["-exportcert", "-rfc", "-file", &certificate]);
            command.arg(&store);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().parse().unwrap_or_else(|_| panic!("no port: `{line}`"));
        Self { folder, child, port, scheme: if secure { "https" } else { "http" } }
    }

    /// The URL of a repository that behaves in this way.
    pub(crate) fn url(&self, behaviour: &str) -> String {
        format!("{}://127.0.0.1:{}/{behaviour}/", self.scheme, self.port)
    }

    /// The authority that it can be known by.
    pub(crate) fn certificate(&self) -> String {
        self.folder.path().join("certificate.pem").display().to_string()
    }

    /// The folder of its files.
    pub(crate) fn files(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    /// All requests until now.
    pub(crate) fn log(&self) -> String {
        fs_err::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
