//! Placeholders in the paths of files.

use std::env;
use std::ffi::OsString;

use crate::Error;

/// The process, as paths may name it. What is written there may differ between the JVMs of one machine or cluster that
/// are all started with the same arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Number of the process.
    pub pid: u32,
    /// Name of the machine.
    pub host: String,
    /// What Spark calls the executor that runs in this process; `driver` where none does.
    pub executor: String,
    /// Variables of the environment.
    pub variables: Vec<(OsString, OsString)>,
}

impl Place {
    /// This process. Reads files below `/proc`, so it is asked only where a path has placeholders.
    pub fn of_process() -> Self {
        let command = fs_err::read("/proc/self/cmdline").unwrap_or_default();
        let words: Vec<&[u8]> = command.split(|byte| *byte == 0).collect();
        let host = fs_err::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = match host.trim() {
            "" => env::var("HOSTNAME").unwrap_or_default(),
            host => host.to_owned(),
        };
        let variable = env::var("SPARK_EXECUTOR_ID").ok();
        Self {
            pid: std::process::id(),
            host: if host.is_empty() { "localhost".to_owned() } else { as_name(&host) },
            executor: executor(&words, variable.as_deref()),
            variables: env::vars_os().collect(),
        }
    }

    /// Whether a path has placeholders, or braces that are doubled.
    pub fn is_needed(path: &str) -> bool {
        path.contains(['{', '}'])
    }

    /// Fills in a path.
    pub fn fill(&self, path: &str) -> Result<String, Error> {
        let mut filled = String::with_capacity(path.len());
        let mut rest = path;
        while let Some(at) = rest.find(['{', '}']) {
            filled.push_str(&rest[..at]);
            let (brace, after) = rest[at..].split_at(1);
            if let Some(after) = after.strip_prefix(brace) {
                filled.push_str(brace);
                rest = after;
            } else if brace == "}" {
                // Alone it cannot be meant otherwise.
                filled.push('}');
                rest = after;
            } else {
                let end = after.find('}').ok_or_else(|| Error::Unclosed { path: path.to_owned() })?;
                filled.push_str(&self.value(path, &after[..end])?);
                rest = &after[end + 1..];
            }
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn value(&self, path: &str, name: &str) -> Result<String, Error> {
        match name {
            "pid" => Ok(self.pid.to_string()),
            "host" => Ok(self.host.clone()),
            "executor" => Ok(self.executor.clone()),
            _ => {
                let variable = name.strip_prefix("env:").filter(|variable| !variable.is_empty());
                let Some(variable) = variable else {
                    return Err(Error::Placeholder { path: path.to_owned(), name: name.to_owned() });
                };
                let found = self.variables.iter().find(|(known, _)| known == variable);
                found
                    .and_then(|(_, value)| value.to_str().map(str::to_owned))
                    .ok_or_else(|| Error::Variable { path: path.to_owned(), name: variable.to_owned() })
            }
        }
    }
}

/// Spark starts its executors with `--executor-id`; some of its schedulers also set a variable.
fn executor(words: &[&[u8]], variable: Option<&str>) -> String {
    let option = words.iter().position(|word| *word == b"--executor-id").and_then(|at| words.get(at + 1));
    let option = option.map(|id| String::from_utf8_lossy(id).into_owned());
    let id = option.or_else(|| variable.map(str::to_owned)).filter(|id| !id.is_empty());
    id.map_or_else(|| "driver".to_owned(), |id| as_name(&id))
}

/// One part of a path: nothing in it leads to another folder.
fn as_name(text: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = text.chars().map(plain).collect();
    if name.chars().all(|c| c == '.') { "_".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            pid: 42,
            host: "node-1".to_owned(),
            executor: "3".to_owned(),
            variables: vec![("DIR".into(), "/var/{pid}".into()), ("EMPTY".into(), "".into())],
        }
    }

    #[test]
    fn placeholders_are_filled_in_and_braces_kept() {
        let cases = [
            ("plain.txt", "plain.txt"),
            ("{host}/{executor}-{pid}.txt", "node-1/3-42.txt"),
            // What a variable holds is not looked at again.
            ("{env:DIR}/x{env:EMPTY}", "/var/{pid}/x"),
            ("{{pid}}-{{{pid}}}", "{pid}-{42}"),
            ("a}b", "a}b"),
            ("", ""),
        ];
        for (path, filled) in cases {
            assert_eq!(place().fill(path).as_deref(), Ok(filled), "{path}");
        }
        assert!(Place::is_needed("{pid}") && Place::is_needed("a}}") && !Place::is_needed("/a/b"));
    }

    #[test]
    fn what_cannot_be_filled_in_is_an_error() {
        let fails = |path: &str| place().fill(path).expect_err(path);
        assert!(matches!(fails("{port}"), Error::Placeholder { name, .. } if name == "port"));
        assert!(matches!(fails("{}"), Error::Placeholder { name, .. } if name.is_empty()));
        assert!(matches!(fails("{env:}"), Error::Placeholder { .. }));
        assert!(matches!(fails("{env:NONE}"), Error::Variable { name, .. } if name == "NONE"));
        assert!(matches!(fails("a{pid"), Error::Unclosed { .. }));
    }

    #[test]
    fn an_executor_is_told_by_its_command_line_before_its_environment() {
        let words: [&[u8]; 4] = [b"java", b"Backend", b"--executor-id", b"7"];
        assert_eq!(executor(&words, Some("9")), "7");
        assert_eq!(executor(&words[..3], Some("9")), "9");
        assert_eq!(executor(&words[..2], None), "driver");
        assert_eq!(executor(&[b"--executor-id", b"../x"], None), ".._x");
        assert_eq!(executor(&[b"--executor-id", b".."], None), "_");
    }

    #[test]
    fn this_process_has_a_number_and_a_host() {
        let place = Place::of_process();
        assert_eq!(place.pid, std::process::id());
        assert!(!place.host.is_empty() && !place.host.contains('/'));
    }
}
