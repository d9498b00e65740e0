//! Lets extensions choose probes for this JVM.

use crate::output::{Output, own_name};
use crate::state::Core;
use crate::{files, log};
use journal::Limits;
use jvm::{Jni, Value};
use manifests::arguments::AgentArguments;
use std::error::Error;

/// What one extension chooses.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) extension: String,
    pub(crate) output: Wanted,
    /// Probes with their parameters.
    pub(crate) probes: Vec<(String, Vec<(String, String)>)>,
}

/// Where an extension wants its probes to write.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Events of the flight recorder, which it also means if it says nothing.
    Jfr,
    /// A file; empty where the agent names it.
    File(String),
    Stdout,
}

/// Asks the configurator of each extension that has one and may be used. One that fails is told and chooses nothing.
pub(crate) fn choose(core: &Core, jni: &Jni<'_>, arguments: &AgentArguments) -> Vec<Chosen> {
    let mut all = Vec::new();
    for extension in core.extensions.resolved(core).usable() {
        let Some(configurator) = &extension.metadata.configurator else { continue };
        let id = &extension.metadata.id;
        match ask(jni, id, configurator, arguments) {
            Ok(chosen) if chosen.probes.is_empty() => log::debug(|| format!("extension {id} chooses no probe")),
            Ok(chosen) => all.push(chosen),
            Err(e) => log::line(&format!(
                "extension {id} runs without its probes: its configurator {configurator} failed: {e}; hint: name probes with \
                 `probes=`"
            )),
        }
    }
    all
}

fn ask(jni: &Jni<'_>, id: &str, configurator: &str, arguments: &AgentArguments) -> Result<Chosen, Box<dyn Error>> {
    let given: Vec<&str> = arguments.iter().flat_map(|(name, value)| [name, value.unwrap_or("true")]).collect();
    let answer = jni.call_static_object(
        jni.find_class("io/btrace/runtime/ExtensionIndy")?,
        "configure",
        "(Ljava/lang/String;Ljava/lang/String;[Ljava/lang/String;)[Ljava/lang/String;",
        &[
            Value::Object(jni.string(id)?),
            Value::Object(jni.string(configurator)?),
            Value::Object(jni.strings(&given)?),
        ],
    )?;
    let texts = jni.read_strings(answer);
    if let [problem] = texts.as_slice() {
        return Err(problem.clone().into());
    }
    read(id, texts).ok_or_else(|| "its answer cannot be read".into())
}

/// Output, path, then for each probe its name, how many parameters it has, and these.
fn read(id: &str, texts: Vec<String>) -> Option<Chosen> {
    let mut texts = texts.into_iter();
    let (output, path) = (texts.next()?, texts.next()?);
    let output = match output.as_str() {
        "FILE" => Wanted::File(path),
        "STDOUT" => Wanted::Stdout,
        _ => Wanted::Jfr,
    };
    let mut probes = Vec::new();
    while let Some(name) = texts.next() {
        let count = texts.next()?.parse().ok()?;
        let mut parameters = Vec::new();
        for _ in 0..count {
            parameters.push((texts.next()?, texts.next()?));
        }
        probes.push((name, parameters));
    }
    Some(Chosen { extension: id.to_owned(), output, probes })
}

/// Opens what an extension wants. Where that is not possible its probes write to stderr, and a line says so.
pub(crate) fn output(core: &Core, extension: &str, wanted: Wanted, limits: Limits) -> Output {
    match wanted {
        Wanted::Stdout => Output::Stdout,
        Wanted::Jfr => {
            log::line(&format!(
                "extension {extension}: its probes write to stderr, as output to the flight recorder comes with a later version; \
                 hint: name a file with `scriptOutputFile=`"
            ));
            Output::Stderr
        }
        Wanted::File(path) => {
            let opened = if path.is_empty() {
                let path = std::env::temp_dir().join(own_name(extension));
                log::line(&format!("extension {extension}: its probes write to {}", path.display()));
                Ok(path)
            } else {
                files::path("its file", &path)
            };
            let opened = opened.and_then(|path| {
                core.outputs.file(&path, limits).map_err(|e| {
                    format!("{} cannot be written: {e}; hint: name a file in a folder that exists", path.display())
                })
            });
            opened.unwrap_or_else(|e| {
                log::line(&format!("extension {extension}: its probes write to stderr, as {e}"));
                Output::Stderr
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_whole_or_not_at_all() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let chosen =
            read("x", texts(&["FILE", "/a", "p.One", "2", "a", "1", "b", "", "p.Two", "0"])).expect("an answer");
        assert_eq!(chosen.output, Wanted::File("/a".to_owned()));
        let parameters = vec![("a".to_owned(), "1".to_owned()), ("b".to_owned(), String::new())];
        assert_eq!(chosen.probes, [("p.One".to_owned(), parameters), ("p.Two".to_owned(), Vec::new())]);
        assert_eq!(read("x", texts(&["", ""])).map(|chosen| chosen.probes.len()), Some(0));
        for short in
            [&["JFR"][..], &["JFR", "", "p.One"], &["JFR", "", "p.One", "1", "a"], &["JFR", "", "p.One", "many"]]
        {
            assert!(read("x", texts(short)).is_none(), "{short:?}");
        }
    }
}
