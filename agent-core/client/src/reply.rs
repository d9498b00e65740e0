//! What the answers mean, which differs between versions of Java.

use std::path::Path;

use crate::{Error, Result};

/// An answer: the code on the first line and everything after it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) code: i32,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Splits an answer; `None` when it does not begin with a decimal line.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let code = std::str::from_utf8(&bytes[..end]).ok()?.trim().parse().ok()?;
        Some(Self { code, body: bytes[end + 1..].to_vec() })
    }

    /// The text after the code on one line.
    pub(crate) fn text(&self) -> String {
        one_line(&self.body)
    }
}

/// Bytes as one line of at most 500 characters.
pub(crate) fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let joined = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    match joined.char_indices().nth(500) {
        Some((end, _)) => format!("{}…", &joined[..end]),
        None => joined,
    }
}

/// What an agent returned, or why it was not asked.
#[derive(Debug, PartialEq, Eq)]
enum Load {
    Returned(i32),
    NotLoaded(String),
}

/// Up to 8 the agent's own code stands alone on the second line, from 9 behind `return code: `. A library that could
/// not be loaded has words there instead, with −1 as first line up to 20 and 0 from 21.
fn load(reply: &Reply) -> Load {
    let text = reply.text();
    match text.strip_prefix("return code: ").unwrap_or(&text).trim().parse() {
        Ok(code) => Load::Returned(code),
        Err(_) => Load::NotLoaded(text),
    }
}

/// The result of loading a jar through the `instrument` library.
pub(crate) fn loaded_jar(pid: u32, path: &Path, reply: &Reply) -> Result<()> {
    let path = path.to_owned();
    match load(reply) {
        Load::Returned(0) => Ok(()),
        // These three are the instrument library's own.
        Load::Returned(100) => Err(Error::AgentJar { pid, path }),
        Load::Returned(101) => Err(Error::AgentClassPath { pid, path }),
        Load::Returned(102) => Err(Error::AgentMain { pid, path }),
        Load::Returned(code) => Err(Error::AgentCode { pid, path, code }),
        Load::NotLoaded(text) => Err(not_loaded(pid, &path, reply.code, text)),
    }
}

/// The result of loading a library.
pub(crate) fn loaded_library(pid: u32, path: &Path, reply: &Reply) -> Result<()> {
    match load(reply) {
        Load::Returned(0) => Ok(()),
        Load::Returned(code) => Err(Error::AgentCode { pid, path: path.to_owned(), code }),
        Load::NotLoaded(text) => Err(not_loaded(pid, path, reply.code, text)),
    }
}

fn not_loaded(pid: u32, path: &Path, code: i32, text: String) -> Error {
    if text.contains("EnableDynamicAgentLoading") {
        Error::NoDynamicLoading { pid }
    } else if text.contains("not recognized") || text.is_empty() {
        Error::Refused { pid, command: "load", code, text }
    } else {
        Error::Library { pid, path: path.to_owned(), text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str) -> Reply {
        Reply::parse(text.as_bytes()).unwrap()
    }

    fn jar(text: &str) -> Result<()> {
        loaded_jar(7, Path::new("/a.jar"), &reply(text))
    }

    #[test]
    fn an_answer_begins_with_a_code() {
        assert_eq!(reply("-1\nNo\n"), Reply { code: -1, body: b"No\n".to_vec() });
        assert_eq!(reply("0\n").body, b"");
        for text in ["", "0", "x\n", "\n0\n"] {
            assert_eq!(Reply::parse(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(one_line(b" a\n\n b \n"), "a b");
        assert_eq!(one_line(&[b'x'; 501]).chars().count(), 501, "500 and the ellipsis");
    }

    #[test]
    fn success_has_three_spellings() {
        for text in ["0\nreturn code: 0\n", "0\n0\n", "0\nreturn code: 0"] {
            assert!(jar(text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn the_codes_of_the_instrument_library_have_names() {
        assert!(matches!(jar("0\nreturn code: 100\n"), Err(Error::AgentJar { .. })));
        assert!(matches!(jar("0\n101\n"), Err(Error::AgentClassPath { .. })));
        assert!(matches!(jar("0\nreturn code: 102\n"), Err(Error::AgentMain { .. })));
        assert!(matches!(jar("0\nreturn code: -4\n"), Err(Error::AgentCode { code: -4, .. })));
        let library = loaded_library(7, Path::new("/a.so"), &reply("0\nreturn code: 100\n"));
        assert!(matches!(library, Err(Error::AgentCode { code: 100, .. })), "another library means another thing");
    }

    #[test]
    fn words_mean_that_nothing_was_loaded() {
        let flag = "Dynamic agent loading is not enabled. Use -XX:+EnableDynamicAgentLoading to launch target VM.";
        for text in [format!("-1\n{flag}"), format!("0\n{flag}\n")] {
            assert!(matches!(jar(&text), Err(Error::NoDynamicLoading { pid: 7 })));
        }
        let words = "0\n/a.so was not loaded.\n/a.so: cannot open\n";
        match loaded_library(7, Path::new("/a.so"), &reply(words)) {
            Err(Error::Library { text, .. }) => assert_eq!(text, "/a.so was not loaded. /a.so: cannot open"),
            other => panic!("{other:?}"),
        }
        assert!(matches!(jar("-1\nOperation load not recognized!"), Err(Error::Refused { code: -1, .. })));
        assert!(matches!(jar("0\n"), Err(Error::Refused { code: 0, .. })));
    }
}
