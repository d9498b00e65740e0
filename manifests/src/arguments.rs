//! Agent arguments: what follows `=` in `-javaagent:agent.jar=…`, and the options of an attach.
//!
//! Arguments are separated by commas; each is `name=value` or a name alone. Only the first `=` separates. A value that
//! begins with `"` goes on to the next lone `"` and may hold commas; a quote inside is doubled:
//! `script=a.class,$filter="x,y",stdout`. Blanks around an argument and empty arguments mean nothing.

pub mod help;

use std::fmt;

use crate::Error;

/// Every argument that the agent knows; `$name` sets a system property and is not among them.
pub const KNOWN: &[&str] = &[
    "allowExtensions",
    "allowPrivileged",
    "allowScriptExtensions",
    "auditFile",
    "bindAddress",
    "bootClassPath",
    "btraceHome",
    "client",
    "cmdQueueLimit",
    "config",
    "debug",
    "deny",
    "denyExtensions",
    "dumpClasses",
    "dumpDir",
    "ext",
    "extPath",
    "fileRollMaxRolls",
    "fileRollMilliseconds",
    "grant",
    "grantAll",
    "help",
    "jar",
    "level",
    "libs",
    "logFile",
    "logLevel",
    "maxAuditBytes",
    "maxEventsPerSecond",
    "maxLogBytes",
    "maxMethods",
    "maxOutputBytes",
    "noBuiltinExt",
    "noServer",
    "off",
    "output",
    "port",
    "probeDescPath",
    "probes",
    "script",
    "scriptOutputDir",
    "scriptOutputFile",
    "scriptdir",
    "startupRetransform",
    "statsd",
    "stdout",
    "systemClassPath",
    "systemExtensions",
    "tokenFile",
    "trackRetransforms",
    "trusted",
    "userExtensions",
];

/// The arguments that `[limits]` of an `agent.toml` sets; both are positive numbers.
pub const LIMITS: &[&str] = &["maxEventsPerSecond", "maxMethods"];

/// Arguments that take a size.
pub const SIZES: &[&str] = &["maxAuditBytes", "maxLogBytes", "maxOutputBytes"];

/// What a limit takes, in messages.
pub(crate) const LIMIT: &str = "a number above zero";

/// The number that a text gives for one of [`LIMITS`]; fails with [`Error::PropertyValue`].
pub fn limit(key: &str, value: &str) -> Result<u64, Error> {
    value.trim().parse().ok().filter(|number| *number > 0).ok_or_else(|| Error::PropertyValue {
        key: key.to_owned(),
        expected: LIMIT,
        value: value.to_owned(),
    })
}

/// What a size takes, in messages.
const SIZE: &str = "a number of bytes above zero, or one with `k`, `m` or `g` behind it";

/// The bytes that a text gives for one of [`SIZES`], `64m` for instance; fails with [`Error::PropertyValue`].
pub fn size(key: &str, value: &str) -> Result<u64, Error> {
    let text = value.trim();
    let (digits, shift) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'm' | 'M')) => (&text[..at], 20),
        Some((at, 'g' | 'G')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let bytes = digits.parse().ok().and_then(|number: u64| number.checked_mul(1 << shift));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| Error::PropertyValue {
        key: key.to_owned(),
        expected: SIZE,
        value: value.to_owned(),
    })
}

/// The names in the value of an argument that takes several: separated by `;` or `,`, of which one that belongs to a name has
/// a backslash before it.
pub fn list(value: &str) -> Vec<String> {
    let (mut names, mut name) = (Vec::new(), String::new());
    let mut rest = value.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' if rest.peek().is_some_and(|next| [';', ','].contains(next)) => name.extend(rest.next()),
            ';' | ',' => names.push(std::mem::take(&mut name)),
            _ => name.push(c),
        }
    }
    names.push(name);
    names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Arguments in the order written. A later value of a name replaces the earlier one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentArguments {
    entries: Vec<(String, Option<String>)>,
}

impl AgentArguments {
    /// Reads an argument text.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut arguments = Self::default();
        let mut rest = text;
        while !rest.is_empty() {
            let column = |at: &str| text[..text.len() - at.len()].chars().count() + 1;
            let start = rest.trim_start();
            let name_end = start.find(['=', ',']).unwrap_or(start.len());
            let (key, after) = (start[..name_end].trim_end(), &start[name_end..]);
            let Some(value_text) = after.strip_prefix('=') else {
                if !key.is_empty() {
                    arguments.put(key, None);
                }
                rest = after.strip_prefix(',').unwrap_or(after);
                continue;
            };
            if key.is_empty() {
                let end = start.find(',').unwrap_or(start.len());
                return Err(Error::ArgumentName { column: column(start), text: start[..end].to_owned() });
            }
            let (value, after) = if let Some(quoted) = value_text.strip_prefix('"') {
                let (value, after) = unquote(quoted)
                    .ok_or_else(|| Error::ArgumentQuote { column: column(value_text), key: key.to_owned() })?;
                (value, after.trim_start())
            } else {
                let end = value_text.find(',').unwrap_or(value_text.len());
                (value_text[..end].trim_end().to_owned(), &value_text[end..])
            };
            arguments.put(key, Some(value));
            rest = match after.strip_prefix(',') {
                Some(rest) => rest,
                None if after.is_empty() => after,
                None => return Err(Error::ArgumentTrailing { column: column(after), key: key.to_owned() }),
            };
        }
        Ok(arguments)
    }

    /// The value of an argument; a name alone has the value `true`.
    pub fn get(&self, key: &str) -> Option<&str> {
        let (_, value) = self.entries.iter().find(|(known, _)| known == key)?;
        Some(value.as_deref().unwrap_or("true"))
    }

    /// Whether the argument is present and not `false`.
    pub fn flag(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| !value.eq_ignore_ascii_case("false"))
    }

    /// Sets an argument, `None` for a name alone: an existing one keeps its position, a new one goes to the end.
    ///
    /// Fails with [`Error::ArgumentKey`] for a name that could not be read back.
    pub fn set(&mut self, key: &str, value: Option<&str>) -> Result<(), Error> {
        if key.is_empty() || key.contains(['=', ',']) || key.trim() != key {
            return Err(Error::ArgumentKey { key: key.to_owned() });
        }
        self.put(key, value.map(str::to_owned));
        Ok(())
    }

    /// Removes an argument.
    pub fn remove(&mut self, key: &str) {
        self.entries.retain(|(known, _)| known != key);
    }

    /// Takes over every argument of `other`, whose values win.
    pub fn extend(&mut self, other: &Self) {
        for (key, value) in &other.entries {
            self.put(key, value.clone());
        }
    }

    /// Names and values in order; `None` for a name alone.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_deref()))
    }

    /// Whether there is no argument.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Names that the agent does not know, with the nearest known one.
    pub fn unknown(&self) -> impl Iterator<Item = (&str, Option<&'static str>)> {
        self.iter()
            .map(|(key, _)| key)
            .filter(|key| !key.starts_with('$') && !KNOWN.contains(key))
            .map(|key| (key, crate::suggest::nearest(key, KNOWN.iter().copied())))
    }

    fn put(&mut self, key: &str, value: Option<String>) {
        match self.entries.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => *known = value,
            None => self.entries.push((key.to_owned(), value)),
        }
    }
}

/// Splits behind the closing quote and halves the doubled ones; `None` when there is no closing quote.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let quote = rest.find('"')?;
        value.push_str(&rest[..quote]);
        rest = &rest[quote + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                value.push('"');
                rest = after;
            }
            None => return Some((value, rest)),
        }
    }
}

impl fmt::Display for AgentArguments {
    /// Writes the text that [`AgentArguments::parse`] reads, with quotes only where they are needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (key, value)) in self.entries.iter().enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            f.write_str(key)?;
            match value {
                None => {}
                Some(value) if value.contains(',') || value.starts_with('"') || value.trim_end() != value => {
                    write!(f, "=\"{}\"", value.replace('"', "\"\""))?;
                }
                Some(value) => write!(f, "={value}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entries(text: &str) -> Vec<(String, Option<String>)> {
        AgentArguments::parse(text).unwrap().entries
    }

    fn owned(entries: &[(&str, Option<&str>)]) -> Vec<(String, Option<String>)> {
        entries.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned))).collect()
    }

    #[test]
    fn pairs_flags_and_equal_signs() {
        assert_eq!(
            entries("script=/a b/P.class,debug, $x=a=b ,,port=0,"),
            owned(&[("script", Some("/a b/P.class")), ("debug", None), ("$x", Some("a=b")), ("port", Some("0"))])
        );
        assert!(entries("").is_empty());
        assert!(entries(" , ").is_empty());
        assert_eq!(entries("off"), owned(&[("off", None)]));
        assert_eq!(entries("a="), owned(&[("a", Some(""))]));
    }

    #[test]
    fn the_later_value_wins_at_the_first_place() {
        assert_eq!(entries("a=1,b=2,a=3"), owned(&[("a", Some("3")), ("b", Some("2"))]));
        let mut base = AgentArguments::parse("a=1,b=2").unwrap();
        base.extend(&AgentArguments::parse("c,a=4").unwrap());
        assert_eq!(base.to_string(), "a=4,b=2,c");
    }

    #[test]
    fn quoted_values_hold_commas_and_doubled_quotes() {
        assert_eq!(
            entries(r#"a="x,y" , b="say ""hi""",c=5" wide"#),
            owned(&[("a", Some("x,y")), ("b", Some("say \"hi\"")), ("c", Some("5\" wide"))])
        );
    }

    #[test]
    fn values_are_looked_up() {
        let arguments = AgentArguments::parse("debug,stdout=false,port=2020").unwrap();
        assert_eq!(arguments.get("debug"), Some("true"));
        assert_eq!(arguments.get("port"), Some("2020"));
        assert_eq!(arguments.get("nothing"), None);
        assert!(arguments.flag("debug") && !arguments.flag("stdout") && !arguments.flag("nothing"));
        assert!(!arguments.is_empty());
    }

    #[test]
    fn unknown_names_come_with_the_nearest() {
        let arguments = AgentArguments::parse("prot=1,port=2,$any=3,zzzzzz").unwrap();
        assert_eq!(arguments.unknown().collect::<Vec<_>>(), [("prot", Some("port")), ("zzzzzz", None)]);
        assert!(KNOWN.is_sorted());
    }

    #[test]
    fn limits_are_known_arguments_and_positive_numbers() {
        assert!(LIMITS.iter().all(|limit| KNOWN.contains(limit)));
        assert_eq!(limit("maxMethods", " 12"), Ok(12));
        for value in ["", "0", "-1", "1.5", "many", "18446744073709551616"] {
            let error = limit("maxMethods", value).unwrap_err();
            assert_eq!(error.to_string(), format!("`maxMethods` must be a number above zero: `{value}`"));
            assert_eq!(error.hint().as_deref(), Some("write `maxMethods` as a number above zero"));
        }
    }

    #[test]
    fn sizes_are_known_arguments_and_bytes() {
        assert!(SIZES.iter().all(|size| KNOWN.contains(size)));
        for (text, bytes) in [("1", 1), (" 12 ", 12), ("3k", 3 << 10), ("64M", 64 << 20), ("2g", 2 << 30)] {
            assert_eq!(size("maxLogBytes", text), Ok(bytes), "{text}");
        }
        for value in ["", "0", "0k", "m", "-1", "1.5m", "1t", "é", "18446744073709551615k"] {
            let error = size("maxLogBytes", value).unwrap_err();
            assert_eq!(error.to_string(), format!("`maxLogBytes` must be {SIZE}: `{value}`"));
        }
    }

    #[test]
    fn lists_are_separated_and_separators_of_a_name_escaped() {
        let cases: [(&str, &[&str]); 5] = [
            ("a;b", &["a", "b"]),
            (" a , b;;", &["a", "b"]),
            (r"a\;b;c\,d", &["a;b", "c,d"]),
            (r"a\b\\;c\", &[r"a\b\;c\"]),
            ("", &[]),
        ];
        for (value, names) in cases {
            assert_eq!(list(value), names, "{value}");
        }
    }

    #[test]
    fn every_argument_is_explained() {
        let explained: Vec<&str> = help::MEANINGS.iter().map(|(key, _)| *key).collect();
        assert_eq!(explained, KNOWN);
    }

    #[test]
    fn errors_name_the_column() {
        let error = AgentArguments::parse("a=é, =2,b").unwrap_err();
        assert_eq!(error.to_string(), "agent argument at column 6 has no name: `=2`");
        assert_eq!(
            error.hint().as_deref(),
            Some("write `name=value`; quote a value that holds a comma: `name=\"a,b\"`")
        );
        let error = AgentArguments::parse("é=1,b=\"2,c").unwrap_err();
        assert_eq!(error.to_string(), "quote opened at column 7 is not closed in the value of: `b`");
        assert_eq!(error.hint().as_deref(), Some("end the value with `\"`; a quote inside is doubled"));
        let error = AgentArguments::parse("b=\"2\" c").unwrap_err();
        assert_eq!(error.to_string(), "text at column 7 follows the closing quote in the value of: `b`");
        assert_eq!(error.hint().as_deref(), Some("put a comma after the closing quote; a quote inside is doubled"));
    }

    #[test]
    fn names_that_cannot_be_read_back_are_refused() {
        let mut arguments = AgentArguments::default();
        for key in ["", "a=b", "a,b", " a"] {
            let error = arguments.set(key, None).unwrap_err();
            assert_eq!(error.to_string(), format!("not the name of an agent argument: `{key}`"));
            assert_eq!(error.hint().as_deref(), Some("leave `=`, `,` and blanks at its ends out of the name"));
        }
        arguments.set("a", Some("1")).unwrap();
        arguments.remove("a");
        assert!(arguments.is_empty());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(pairs: Vec<(String, Option<String>)>) {
            let mut arguments = AgentArguments::default();
            for (key, value) in &pairs {
                let _refused = arguments.set(key, value.as_deref());
            }
            prop_assert_eq!(AgentArguments::parse(&arguments.to_string()), Ok(arguments));
        }

        #[test]
        fn any_text_is_read_or_refused(text: String) {
            let _any = AgentArguments::parse(&text);
        }
    }
}
