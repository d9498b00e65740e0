//! Configuration of `GraalVM`'s native-image: what reflection, resources and the like are kept.

use serde_json::Value;

use super::MergeError;
use super::properties::parse;
use super::relocate::Relocation;
use super::rule::{Rule, Source};
use crate::error::Result;
use manifests::properties::Properties;

/// Where such files lie.
const FOLDER: &str = "META-INF/native-image/";
/// What they are called.
const NAMES: [&str; 7] = [
    "jni-config.json",
    "predefined-classes-config.json",
    "proxy-config.json",
    "reachability-metadata.json",
    "reflect-config.json",
    "resource-config.json",
    "serialization-config.json",
];

/// The JSON files.
pub(super) struct Configuration;
/// `native-image.properties`: arguments of the command line.
pub(super) struct Arguments;

fn file_name(path: &str) -> Option<&str> {
    path.strip_prefix(FOLDER).map(|rest| rest.rsplit_once('/').map_or(rest, |(_, name)| name))
}

impl Rule for Configuration {
    fn name(&self) -> &'static str {
        "native-image configuration"
    }

    fn matches(&self, path: &str) -> bool {
        file_name(path).is_some_and(|name| NAMES.contains(&name))
    }

    fn relocate(&self, source: &Source, relocation: &Relocation) -> Result<Option<Vec<u8>>> {
        let mut value = read(source)?;
        Ok(rename(&mut value, relocation).then(|| write(&value)))
    }

    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        let mut joined: Option<Value> = None;
        for source in sources {
            let value = read(source)?;
            match &mut joined {
                None => joined = Some(value),
                Some(known) => unite(known, value, "").map_err(|key| MergeError::Key {
                    key,
                    first: Box::new(sources[0].origin.clone()),
                    second: Box::new(source.origin.clone()),
                })?,
            }
        }
        Ok(write(&joined.unwrap_or(Value::Null)))
    }
}

fn read(source: &Source) -> Result<Value> {
    serde_json::from_slice(&source.bytes).map_err(|error| {
        let problem = format!("not JSON: {error}");
        MergeError::Malformed { origin: Box::new(source.origin.clone()), problem }.into()
    })
}

fn write(value: &Value) -> Vec<u8> {
    let mut text = format!("{value:#}");
    text.push('\n');
    text.into_bytes()
}

/// Gives every text that is the name of a class, or of an array of one, its new name; tells whether there is any.
fn rename(value: &mut Value, relocation: &Relocation) -> bool {
    match value {
        Value::String(text) => {
            let end = text.find("[]").unwrap_or(text.len());
            let new = relocation.class(&text[..end]).map(|new| format!("{new}{}", &text[end..]));
            let moves = new.is_some();
            if let Some(new) = new {
                *text = new;
            }
            moves
        }
        Value::Array(items) => items.iter_mut().fold(false, |any, item| rename(item, relocation) | any),
        Value::Object(fields) => fields.values_mut().fold(false, |any, field| rename(field, relocation) | any),
        _ => false,
    }
}

/// Adds to `known` what `new` has besides; the error is the place where both contradict each other.
fn unite(known: &mut Value, new: Value, at: &str) -> Result<(), String> {
    match (known, new) {
        (Value::Array(known), Value::Array(new)) => {
            for item in new {
                if !known.contains(&item) {
                    known.push(item);
                }
            }
            Ok(())
        }
        (Value::Object(known), Value::Object(new)) => {
            for (key, value) in new {
                let at = format!("{at}/{key}");
                match known.get_mut(&key) {
                    Some(known) => unite(known, value, &at)?,
                    None => drop(known.insert(key, value)),
                }
            }
            Ok(())
        }
        (known, new) if *known == new => Ok(()),
        _ => Err(if at.is_empty() { "/".to_owned() } else { at.to_owned() }),
    }
}

impl Rule for Arguments {
    fn name(&self) -> &'static str {
        "native-image arguments"
    }

    fn matches(&self, path: &str) -> bool {
        file_name(path) == Some("native-image.properties")
    }

    /// Arguments follow each other with blanks; any other key may have one value only.
    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        let mut joined = Properties::default();
        for source in sources {
            for (key, value) in parse(source)?.iter() {
                match joined.get(key).map(str::to_owned) {
                    None => joined.set(key, value),
                    Some(known) if known == value => {}
                    Some(known) if matches!(key, "Args" | "JavaArgs") => joined.set(key, &format!("{known} {value}")),
                    Some(_) => {
                        return Err(MergeError::Key {
                            key: key.to_owned(),
                            first: Box::new(sources[0].origin.clone()),
                            second: Box::new(source.origin.clone()),
                        }
                        .into());
                    }
                }
            }
        }
        Ok(joined.to_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::Origin;

    fn joined(rule: &dyn Rule, texts: &[&str]) -> Result<String> {
        let file = |(at, text): (usize, &&str)| Source {
            bytes: text.as_bytes().to_vec(),
            origin: Origin::File(format!("{at}").into()),
        };
        let sources: Vec<Source> = texts.iter().enumerate().map(file).collect();
        rule.join(&sources).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    fn json(texts: &[&str]) -> Value {
        serde_json::from_str(&joined(&Configuration, texts).unwrap()).unwrap()
    }

    #[test]
    fn lists_are_united_at_every_depth() {
        let reflect = json(&[r#"[{"name":"a"}]"#, r#"[{"name":"b"},{"name":"a"}]"#]);
        assert_eq!(reflect, serde_json::json!([{"name": "a"}, {"name": "b"}]));
        let resources = json(&[
            r#"{"resources":{"includes":[{"pattern":"a"}]}}"#,
            r#"{"resources":{"includes":[{"pattern":"b"}]},"bundles":[]}"#,
        ]);
        let expected =
            serde_json::json!({"resources": {"includes": [{"pattern": "a"}, {"pattern": "b"}]}, "bundles": []});
        assert_eq!(resources, expected);
    }

    #[test]
    fn contradictions_and_other_texts_are_refused() {
        let message = joined(&Configuration, &[r#"{"a":{"b":1}}"#, r#"{"a":{"b":2}}"#]).unwrap_err().to_string();
        assert_eq!(message, "two different values of `/a/b`: in `0`, and in `1`");
        let message = joined(&Configuration, &["[]", "no"]).unwrap_err().to_string();
        assert!(message.starts_with("cannot join `1`: not JSON: "), "{message}");
    }

    #[test]
    fn arguments_follow_each_other() {
        assert_eq!(joined(&Arguments, &["Args = -A", "Args=-B -C"]).unwrap(), "Args=-A -B -C\n");
        assert!(joined(&Arguments, &["ImageName=a", "ImageName=b"]).is_err());
    }
}
