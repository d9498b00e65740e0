//! The error of this crate.

use std::fmt;

/// A place in a text that a person wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// What the text is called, usually a path as the user gave it.
    pub origin: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.origin, self.line, self.column)
    }
}

/// What can be wrong with a text in one of this crate's formats.
///
/// Lines and columns count from 1. Formats other than `agent.toml` do not know what their text is called: the caller
/// adds the file or jar entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A manifest line has no `Name: value` form.
    #[error("manifest line {line} is not of the form `Name: value`: `{text}`")]
    ManifestLine {
        /// Line of the manifest.
        line: usize,
        /// The line, shortened and with undecodable bytes replaced.
        text: String,
    },
    /// A manifest line begins with a space although no attribute precedes it.
    #[error("manifest line {line} continues no attribute")]
    ManifestContinuation {
        /// Line of the manifest.
        line: usize,
    },
    /// An attribute name is empty, longer than 70 bytes, or has other characters than letters, digits, `-` and `_`.
    #[error("not a manifest attribute name: `{name}`")]
    ManifestName {
        /// The name.
        name: String,
    },
    /// The same as [`Error::ManifestName`], found while reading.
    #[error("manifest line {line} has an invalid attribute name: `{name}`")]
    ManifestNameAt {
        /// Line of the manifest.
        line: usize,
        /// The name, with undecodable bytes replaced.
        name: String,
    },
    /// An attribute value holds a line break or a NUL, which no manifest can carry.
    #[error("value of manifest attribute `{name}` holds a line break or a NUL: {value:?}")]
    ManifestValue {
        /// Attribute name.
        name: String,
        /// The value.
        value: String,
    },
    /// An attribute occurs twice in one section.
    #[error("manifest line {line} repeats an attribute: `{name}`")]
    ManifestDuplicate {
        /// Line of the second occurrence.
        line: usize,
        /// Attribute name as written there.
        name: String,
    },
    /// An attribute value is not UTF-8 once its lines are joined.
    #[error("manifest line {line} holds bytes that are not UTF-8 in the value of: `{name}`")]
    ManifestEncoding {
        /// Line on which the attribute begins.
        line: usize,
        /// Attribute name.
        name: String,
    },
    /// A section after the main one does not begin with `Name`.
    #[error("manifest section at line {line} begins not with `Name` but with: `{name}`")]
    ManifestSection {
        /// First line of the section.
        line: usize,
        /// The attribute found there.
        name: String,
    },
    /// A `\u` in a properties text is not followed by four hexadecimal digits.
    #[error("properties line {line} has a malformed unicode escape: `{text}`")]
    PropertiesEscape {
        /// Natural line.
        line: usize,
        /// The escape as far as it goes.
        text: String,
    },
    /// A `\u` escape in a properties text is half of a surrogate pair.
    #[error("properties line {line} has half of a surrogate pair: `\\u{unit:04x}`")]
    PropertiesSurrogate {
        /// Natural line.
        line: usize,
        /// The lone UTF-16 unit.
        unit: u16,
    },
    /// A permission name that does not exist.
    #[error("unknown permission: `{name}`")]
    UnknownPermission {
        /// The name as written.
        name: String,
        /// The permission that resembles it most.
        nearest: Option<&'static str>,
    },
    /// An extension id that no reader accepts.
    #[error("not an extension id: `{id}`")]
    ExtensionId {
        /// The id.
        id: String,
    },
    /// An extension id that readers accept but tools must not write.
    #[error("extension id is not lowercase with hyphens: `{id}`")]
    ExtensionIdStyle {
        /// The id.
        id: String,
    },
    /// A description of an extension lacks its id.
    #[error("extension description has no value for: `{key}`")]
    ExtensionKey {
        /// The absent attribute or property.
        key: &'static str,
    },
    /// The description of a setting has an unknown type, or a default of another type.
    #[error("`{key}` is no type or no value of the setting's type: `{value}`")]
    Setting {
        /// The property.
        key: String,
        /// Its value.
        value: String,
    },
    /// A list of shaded packages has an entry without `->`.
    #[error("`{key}` has an entry that is not `original->shaded`: `{entry}`")]
    ShadedPackage {
        /// The attribute or property.
        key: &'static str,
        /// The entry.
        entry: String,
    },
    /// The first line of a class index is not the one we write.
    #[error("class index begins not with `{expected}` but with: `{found}`")]
    IndexHeader {
        /// Magic and version of this build.
        expected: &'static str,
        /// First line found, shortened.
        found: String,
    },
    /// A class index line has not three fields, or is not UTF-8.
    #[error("class index line {line} is not class, path and hash separated by tabs: `{text}`")]
    IndexLine {
        /// Line of the index.
        line: usize,
        /// The line, shortened.
        text: String,
    },
    /// A hash in a class index is not 64 hexadecimal digits.
    #[error("class index line {line} has no SHA-256 in hexadecimal: `{hash}`")]
    IndexHash {
        /// Line of the index.
        line: usize,
        /// What stands there.
        hash: String,
    },
    /// A class occurs twice in a class index.
    #[error("class index line {line} repeats a class: `{class}`")]
    IndexDuplicateAt {
        /// Line of the second occurrence.
        line: usize,
        /// Dotted class name.
        class: String,
    },
    /// A class was added to an index that already has it at another path.
    #[error("class `{class}` is already in the index at `{first}`, again at: `{second}`")]
    IndexDuplicate {
        /// Dotted class name.
        class: String,
        /// Path in the index.
        first: String,
        /// Path refused.
        second: String,
    },
    /// A class name or path that a class index cannot carry.
    #[error("empty, or holds a tab or line break, which the class index cannot carry: {text:?}")]
    IndexText {
        /// The name or path.
        text: String,
    },
    /// A library path that the space-separated attribute cannot carry.
    #[error("library path of `{attribute}` is empty or holds a blank: `{path}`")]
    LibraryPath {
        /// Attribute name.
        attribute: &'static str,
        /// The path.
        path: String,
    },
    /// An agent argument begins with `=`.
    #[error("agent argument at column {column} has no name: `{text}`")]
    ArgumentName {
        /// Column in the argument text.
        column: usize,
        /// The argument.
        text: String,
    },
    /// A quoted agent argument does not end.
    #[error("quote opened at column {column} is not closed in the value of: `{key}`")]
    ArgumentQuote {
        /// Column of the opening quote.
        column: usize,
        /// Name of the argument.
        key: String,
    },
    /// Text follows the closing quote of an agent argument.
    #[error("text at column {column} follows the closing quote in the value of: `{key}`")]
    ArgumentTrailing {
        /// Column of the text.
        column: usize,
        /// Name of the argument.
        key: String,
    },
    /// A name that cannot be the name of an agent argument.
    #[error("not the name of an agent argument: `{key}`")]
    ArgumentKey {
        /// The name.
        key: String,
    },
    /// A value that a key of a properties file does not take.
    #[error("`{key}` must be {expected}: `{value}`")]
    PropertyValue {
        /// The key.
        key: String,
        /// What it takes.
        expected: &'static str,
        /// The value.
        value: String,
    },
    /// A key that stands twice in a properties file in which each must stand once.
    #[error("line {line} gives a key again: `{key}`")]
    PropertyTwice {
        /// Line of the second one.
        line: usize,
        /// The key.
        key: String,
    },
    /// A key that a policy does not have.
    #[error("not a key of a policy: `{key}`")]
    PolicyKey {
        /// The key.
        key: String,
        /// The known key that resembles it most.
        nearest: Option<&'static str>,
    },
    /// A text is not TOML.
    #[error("{at}: {message}")]
    Toml {
        /// Where.
        at: Box<Location>,
        /// What the TOML reader says.
        message: String,
    },
    /// A key that the table does not have.
    #[error("{at}: unknown key in {table}: `{key}`")]
    UnknownKey {
        /// Where the key stands.
        at: Box<Location>,
        /// The table for display, such as `` `[agent]` `` or `the top level`.
        table: String,
        /// The key.
        key: String,
        /// The known key that resembles it most.
        nearest: Option<String>,
        /// Every key that the table has.
        known: &'static [&'static str],
    },
    /// A value of the wrong TOML type.
    #[error("{at}: `{key}` must be {expected}, but is {found}")]
    WrongType {
        /// Where the value stands.
        at: Box<Location>,
        /// Dotted key.
        key: String,
        /// What the key takes, with its article.
        expected: &'static str,
        /// What is there, with its article.
        found: String,
    },
    /// A required key is absent.
    #[error("{at}: {table} has no key `{key}`")]
    MissingKey {
        /// Where the table begins.
        at: Box<Location>,
        /// The table for display.
        table: String,
        /// The absent key.
        key: &'static str,
    },
    /// None or several of keys of which a table takes exactly one.
    #[error("{at}: {table} takes exactly one of {keys}, but has {found}")]
    OneOf {
        /// Where the table begins.
        at: Box<Location>,
        /// The table for display.
        table: String,
        /// The keys for display.
        keys: &'static str,
        /// The keys present, for display.
        found: String,
    },
    /// A value of the right type that the key does not take.
    #[error("{at}: `{key}` must be {expected}: `{value}`")]
    Value {
        /// Where the value stands.
        at: Box<Location>,
        /// Dotted key.
        key: String,
        /// What the key takes.
        expected: &'static str,
        /// The value.
        value: String,
        /// The accepted value that resembles it most.
        nearest: Option<String>,
    },
    /// `${env:NAME}` names a variable that is not set.
    #[error("{at}: environment variable is not set: `{name}`")]
    UnsetVariable {
        /// Where the string stands.
        at: Box<Location>,
        /// The variable.
        name: String,
    },
    /// `${…}` holds something else than the two known expressions, or does not end.
    #[error("{at}: not an expression that is expanded: `{expression}`")]
    Expression {
        /// Where the string stands.
        at: Box<Location>,
        /// The expression from its `${`.
        expression: String,
    },
    /// A text that the reader takes cannot be edited.
    #[error("{origin} cannot be edited: {reason}")]
    Edit {
        /// What the text is called.
        origin: String,
        /// Why not.
        reason: String,
    },
    /// Something that is to be removed is not there.
    #[error("{table} of {origin} has no {item}")]
    NotListed {
        /// What the text is called.
        origin: String,
        /// What was to be removed, for display.
        item: String,
        /// The table for display.
        table: &'static str,
        /// What is there and resembles it most.
        nearest: Option<String>,
        /// Everything that is there.
        known: Vec<String>,
    },
    /// A package that is to be relocated goes somewhere else already.
    #[error("`[relocate]` of {origin} moves `{from}` to something else: `{to}`")]
    RelocatedElsewhere {
        /// What the text is called.
        origin: String,
        /// Left side of the rule.
        from: String,
        /// Right side of the rule that is there.
        to: String,
    },
}

impl Error {
    /// The same error with another suggestion, where it has none.
    #[cfg(feature = "toml")]
    pub(crate) fn suggesting(mut self, suggestion: Option<String>) -> Self {
        if let Self::Value { nearest: nearest @ None, .. } = &mut self {
            *nearest = suggestion;
        }
        self
    }

    /// What the user can do about it, where that is known.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::ManifestLine { text, .. } | Self::ManifestNameAt { name: text, .. }
                if text.starts_with('\u{feff}') =>
            {
                "the text begins with a byte order mark: save it without one".to_owned()
            }
            Self::ManifestLine { .. } => {
                "write a name, a colon and one space before the value; further lines of a value begin with one space"
                    .to_owned()
            }
            Self::ManifestContinuation { .. } => "remove the space at the start of the line".to_owned(),
            Self::ManifestName { .. } | Self::ManifestNameAt { .. } => {
                "use 1 to 70 letters, digits, `-` or `_`, beginning with a letter or digit".to_owned()
            }
            Self::ManifestValue { .. } => "put the text on one line".to_owned(),
            Self::ManifestDuplicate { name, .. } => format!("keep one `{name}` per section"),
            Self::ManifestEncoding { .. } => "save the manifest as UTF-8".to_owned(),
            Self::ManifestSection { .. } => {
                "begin the section with `Name: path/of/entry`, or remove the blank line before it".to_owned()
            }
            Self::PropertiesEscape { .. } => {
                "write four hexadecimal digits after `\\u`, or double the backslash".to_owned()
            }
            Self::PropertiesSurrogate { .. } => "write both halves of the pair, the high one first".to_owned(),
            Self::UnknownPermission { nearest: Some(nearest), .. } | Self::PolicyKey { nearest: Some(nearest), .. } => {
                format!("did you mean `{nearest}`?")
            }
            Self::UnknownPermission { nearest: None, .. }
            | Self::Value { nearest: None, expected: crate::policy::PERMISSIONS, .. } => {
                let names: Vec<String> =
                    crate::permission::Permission::ALL.iter().map(|permission| format!("`{permission}`")).collect();
                format!("permissions are {}", names.join(", "))
            }
            Self::ExtensionId { .. } | Self::Value { nearest: None, expected: crate::policy::EXTENSIONS, .. } => {
                "begin with a letter or digit, go on with letters, digits, `.`, `_` or `-`, and leave out `..`"
                    .to_owned()
            }
            Self::ExtensionIdStyle { id } => {
                return crate::extension::lowercase_id(id).map(|id| format!("use `{id}`"));
            }
            Self::ExtensionKey { key } => format!("add `{key}`"),
            Self::Setting { .. } => {
                "types are `string`, `boolean`, `integer`, `duration` (such as `5s`) and `list`".to_owned()
            }
            Self::ShadedPackage { .. } => "write entries such as `org.dep->com.example.shaded.dep`".to_owned(),
            Self::IndexHeader { .. } => "rebuild the jar with this version of fatagent".to_owned(),
            Self::IndexLine { .. } | Self::IndexHash { .. } | Self::IndexDuplicateAt { .. } => {
                "the index is generated: rebuild the jar instead of editing it".to_owned()
            }
            Self::IndexDuplicate { .. } => "remove one of the two classes from the inputs".to_owned(),
            Self::IndexText { .. } => "rename the file".to_owned(),
            Self::LibraryPath { .. } => {
                "the attribute separates its paths by blanks: rename the file, or write `%20` for a blank".to_owned()
            }
            Self::ArgumentName { .. } => {
                "write `name=value`; quote a value that holds a comma: `name=\"a,b\"`".to_owned()
            }
            Self::ArgumentQuote { .. } => "end the value with `\"`; a quote inside is doubled".to_owned(),
            Self::ArgumentTrailing { .. } => {
                "put a comma after the closing quote; a quote inside is doubled".to_owned()
            }
            Self::Value { key, expected: expected @ crate::arguments::LIMIT, .. } => {
                format!("write `{key}` as {expected}")
            }
            Self::PropertyTwice { key, .. } => format!("keep one `{key}`"),
            Self::PropertyValue { key, expected, .. } => format!("write `{key}` as {expected}"),
            Self::PolicyKey { nearest: None, .. } => {
                let keys: Vec<String> = crate::policy::KEYS.iter().map(|key| format!("`{key}`")).collect();
                format!("keys are {}", keys.join(", "))
            }
            Self::ArgumentKey { .. } => "leave `=`, `,` and blanks at its ends out of the name".to_owned(),
            Self::Value { key, value, nearest: None, .. } if key == "agent.base" => {
                format!("write `base = {{ file = \"{value}\" }}` for a jar, or leave it out for the built-in base")
            }
            Self::WrongType { key, .. } if key == "agent.base" => {
                "write `base = { file = \"base.jar\" }` for a jar, or leave it out for the built-in base".to_owned()
            }
            Self::UnknownKey { nearest: Some(nearest), .. }
            | Self::NotListed { nearest: Some(nearest), .. }
            | Self::Value { nearest: Some(nearest), .. } => {
                format!("did you mean `{nearest}`?")
            }
            Self::UnknownKey { known, .. } => {
                let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
                format!("keys here are {}", known.join(", "))
            }
            Self::NotListed { table, known, .. } if known.is_empty() => format!("{table} is empty"),
            Self::NotListed { known, .. } => {
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                format!("there are {}", known.join(", "))
            }
            Self::RelocatedElsewhere { from, .. } => {
                format!("remove that rule first: `fatagent remove relocation {from}`")
            }
            Self::Edit { .. } => "edit it by hand".to_owned(),
            Self::MissingKey { key, .. } => format!("add `{key} = …`"),
            Self::OneOf { keys, .. } => format!("write exactly one of {keys}"),
            Self::UnsetVariable { name, .. } => format!("set `{name}` in the environment, or write the value itself"),
            Self::Expression { .. } => {
                "`${agent.version}` and `${env:NAME}` are expanded; write `$${` for a literal `${`".to_owned()
            }
            Self::Toml { .. } | Self::WrongType { .. } | Self::Value { nearest: None, .. } => return None,
        })
    }
}
