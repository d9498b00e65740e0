//! Records of what was done to a JVM, one line of JSON each.

use std::io;
use std::time::SystemTime;

use serde_json::{Map, Value};

use crate::{RollingFile, timestamp};

/// One event: its time, its name and the process first, then whatever it has to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Record(Map<String, Value>);

impl Record {
    /// An event of this process, now.
    pub fn new(event: &str) -> Self {
        let mut fields = Map::new();
        fields.insert("time".to_owned(), timestamp(SystemTime::now()).into());
        fields.insert("event".to_owned(), event.into());
        fields.insert("pid".to_owned(), std::process::id().into());
        Self(fields)
    }

    /// Adds a text, number, truth or list; a later value of a name replaces the earlier one.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a value where there is one.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The line, with its end.
    fn line(self) -> String {
        let mut line = Value::Object(self.0).to_string();
        line.push('\n');
        line
    }
}

/// The file that records go to.
#[derive(Debug)]
pub struct Audit(RollingFile);

impl Audit {
    /// Writes records to this file.
    pub fn new(file: RollingFile) -> Self {
        Self(file)
    }

    /// Appends a record.
    pub fn append(&self, record: Record) -> io::Result<()> {
        self.0.append(&record.line())
    }

    /// The file.
    pub fn file(&self) -> &RollingFile {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use proptest::prelude::*;

    #[test]
    fn a_record_is_one_line_of_json_in_the_order_of_its_fields() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let audit = Audit::new(RollingFile::open(&path, Limits::NONE).unwrap());
        let record = Record::new("probe").with("name", "a\"b\n").with("methods", vec!["x", "y"]);
        audit.append(record.with_some("level", Some(3)).with_some("none", None::<u32>)).unwrap();
        let text = fs_err::read_to_string(&path).unwrap();
        let (time, rest) = text.split_once(r#"Z","event":"#).expect("a time");
        assert!(time.starts_with(r#"{"time":"20"#), "{text}");
        let expected = format!(
            "\"probe\",\"pid\":{},\"name\":\"a\\\"b\\n\",\"methods\":[\"x\",\"y\"],\"level\":3}}\n",
            std::process::id()
        );
        assert_eq!(rest, expected);
        assert_eq!(audit.file().path(), path);
    }

    proptest! {
        #[test]
        fn any_text_stays_within_its_line(name: String, value: String) {
            let line = Record::new("x").with(&name, value.as_str()).line();
            prop_assert_eq!(line.matches('\n').count(), 1);
            let read: Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(read.get(&name).and_then(Value::as_str), Some(value.as_str()));
        }
    }
}
