//! `settings.xml`: where the local repository is, and who may write to others.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

use super::Error;
use crate::error::Result;
use crate::xml::Element;

/// The user's settings, below the home folder.
const SETTINGS: &str = ".m2/settings.xml";

/// Looks a variable of the environment up.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What is used of the settings, as it is written there: expressions are expanded when a value is asked for, so that a
/// variable that is not set stops only those who need it.
#[derive(Debug)]
pub(crate) struct Settings {
    path: PathBuf,
    home: PathBuf,
    local_repository: Option<String>,
    servers: Vec<Server>,
}

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// A text that is never shown.
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }

    /// The text.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

/// A `server` of the settings.
#[derive(Debug)]
struct Server {
    id: String,
    user: Option<String>,
    password: Option<Secret>,
}

/// A user with a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: Secret,
}

impl Settings {
    /// The settings of this user; empty ones where there is no file.
    ///
    /// # Errors
    /// The file is malformed, or there is no home folder.
    pub(crate) fn load() -> Result<Self> {
        let home = env::home_dir().filter(|home| !home.as_os_str().is_empty()).ok_or(Error::NoHome)?;
        Self::of(&home)
    }

    pub(super) fn of(home: &Path) -> Result<Self> {
        let path = home.join(SETTINGS);
        let mut settings =
            Self { path: path.clone(), home: home.to_owned(), local_repository: None, servers: Vec::new() };
        if !path.is_file() {
            return Ok(settings);
        }
        let root = Element::parse(&fs_err::read(&path)?)
            .map_err(|source| Error::Settings { path, source: Box::new(source) })?;
        if root.name != "settings" {
            let found = root.name;
            return Err(Error::NotSettings { path: settings.path, found }.into());
        }
        settings.local_repository = root.text_of("localRepository").map(str::to_owned);
        let servers = root.child("servers").map(|servers| servers.children.as_slice()).unwrap_or_default();
        for server in servers.iter().filter(|server| server.name == "server") {
            settings.servers.push(Server {
                id: server.text_of("id").unwrap_or_default().to_owned(),
                user: server.text_of("username").map(str::to_owned),
                password: server.text_of("password").map(|text| Secret(text.to_owned())),
            });
        }
        Ok(settings)
    }

    /// The user's home folder.
    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    /// The folder that `localRepository` names.
    ///
    /// # Errors
    /// It holds an expression that only Maven understands.
    pub(super) fn local_repository(&self, environment: Environment<'_>) -> Result<Option<PathBuf>> {
        self.local_repository.as_deref().map(|text| Ok(PathBuf::from(self.expand(text, environment)?))).transpose()
    }

    /// User and password of the server with this id.
    ///
    /// # Errors
    /// There is no such server or more than one, it lacks one of the two, or the password is encrypted.
    pub(crate) fn login(&self, id: &str, environment: Environment<'_>) -> Result<Login> {
        let (path, id) = (|| self.path.clone(), id.to_owned());
        let mut found = self.servers.iter().filter(|server| server.id == id);
        let Some(server) = found.next() else {
            let known = self.servers.iter().map(|server| server.id.clone()).collect();
            return Err(Error::NoServer { path: path(), id, known }.into());
        };
        if found.next().is_some() {
            return Err(Error::ServerTwice { path: path(), id }.into());
        }
        let (Some(user), Some(password)) = (&server.user, &server.password) else {
            let missing = if server.user.is_none() { "username" } else { "password" };
            return Err(Error::HalfServer { path: path(), id, missing }.into());
        };
        let password = password.reveal();
        // This is how Maven knows them, too; text may stand around the braces.
        if password.split_once('{').is_some_and(|(before, rest)| !before.ends_with('$') && rest.contains('}')) {
            return Err(Error::Encrypted { path: path(), id }.into());
        }
        let user = self.expand(user, environment)?;
        // What looks like an expression may be a part of the password, which is not shown.
        let password = self.expand(password, environment).map_err(|_| Error::Password { path: path(), id })?;
        Ok(Login { user, password: Secret(password) })
    }

    /// The text with `${user.home}` and `${env.NAME}` expanded.
    fn expand(&self, text: &str, environment: Environment<'_>) -> Result<String, Error> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let unknown = |name: &str| Error::Expression { path: self.path.clone(), expression: format!("${{{name}") };
            // Without its end it may be a part of a password, which is not shown.
            let (name, after) = after.split_once('}').ok_or_else(|| unknown("…"))?;
            let value = match name.strip_prefix("env.") {
                Some(variable) => environment(variable),
                None if name == "user.home" => self.home.to_str().map(str::to_owned),
                None => None,
            };
            out.push_str(before);
            out.push_str(&value.ok_or_else(|| unknown(&format!("{name}}}")))?);
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVERS: &str = "<settings><servers>\
        <server><id>a</id><username>u</username><password>p&amp;q</password></server>\
        <server><id>env</id><username>${env.U}</username><password>${env.P}</password></server>\
        <server><id>open</id><username>u</username><password>a${COQ}b</password></server>\
        <server><id>half</id><username>u</username></server>\
        <server><id>key</id><privateKey>/k</privateKey></server>\
        <server><id>locked</id><username>u</username><password>{COQLCE6DU6GtcS5P=}</password></server>\
        <server><id>twice</id></server><server><id>twice</id></server></servers></settings>";

    fn settings() -> (tempfile::TempDir, Settings) {
        let home = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(home.path().join(".m2")).unwrap();
        fs_err::write(home.path().join(SETTINGS), SERVERS).unwrap();
        let settings = Settings::of(home.path()).unwrap();
        (home, settings)
    }

    #[test]
    fn servers_have_user_and_password() {
        let (_home, settings) = settings();
        let environment = |name: &str| Some(format!("value of {name}"));
        let login = |id: &str| {
            let login = settings.login(id, &environment).unwrap();
            (login.user, login.password.reveal().to_owned())
        };
        assert_eq!(login("a"), ("u".to_owned(), "p&q".to_owned()));
        assert_eq!(login("env"), ("value of U".to_owned(), "value of P".to_owned()));
        assert!(!format!("{settings:?}").contains("p&q"), "{settings:?}");
    }

    #[test]
    fn servers_that_cannot_be_used_are_errors() {
        let (_home, settings) = settings();
        for (id, message) in [
            ("b", "Maven settings have no server `b`: "),
            ("env", "Maven settings hold an expression that is not expanded: `${env.U}`"),
            ("open", "password of server `open` in Maven settings holds an expression that is not expanded: "),
            ("half", "server `half` of the Maven settings has no `password`: "),
            ("key", "server `key` of the Maven settings has no `username`: "),
            ("locked", "password of server `locked` is encrypted in Maven settings: "),
            ("twice", "Maven settings have more than one server `twice`: "),
        ] {
            let error = settings.login(id, &|_| None).unwrap_err();
            assert!(error.to_string().starts_with(message), "{error}");
            assert!(error.hint().is_some() && !format!("{error}{:?}", error.hint()).contains("COQ"));
        }
    }
}
