//! What to do about each error.

use super::Error;
use crate::shell;

/// Lists names for display.
pub(crate) fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl Error {
    /// Whether the error is a defect of this program rather than of its inputs.
    pub fn is_internal(&self) -> bool {
        matches!(self, Self::SelfCheck { base: None, .. })
    }

    /// The remedy, where there is one that the message does not already say.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Io(_) => "check that the file exists and that you may use it".into(),
            Self::FileMissing { .. } => "check the path; it is relative to the current folder, or to the file that names it".into(),
            Self::NotAJar { .. } => "a jar is a zip archive: give the path of one, or build this one again".into(),
            Self::TruncatedJar { .. } => "the copy or the download stopped early: get the file again".into(),
            Self::UnreadableJar { .. } => "check the disk that holds it".into(),
            Self::BadEntryName { .. } => {
                "such names can escape a folder or hide a second file: build the jar again with plain relative names".into()
            }
            Self::DuplicateEntry { .. } => "readers disagree which of the two counts: build the jar again without one".into(),
            Self::BadExtra { .. } => "the JVM refuses such jars or reads them otherwise: build the jar again".into(),
            Self::FileIsFolder { file, .. } => format!("rename `{file}`"),
            Self::OverlappingEntries { .. } => {
                "no ordinary tool writes such jars, which can inflate without end: do not use it".into()
            }
            Self::TooManyEntries { .. } | Self::EntryTooLarge { .. } | Self::ArchiveTooLarge { .. } => {
                "leave out what the agent does not need, or raise the limit with `--limits`".into()
            }
            Self::RatioTooHigh { .. } => {
                "this is how archives made to exhaust memory look: check where the jar comes from; `--limits ratio=…` accepts it".into()
            }
            Self::WrongSize { .. } | Self::DamagedEntry { .. } => "the jar is damaged: get or build it again".into(),
            Self::ForeignEntry { .. } => {
                "build the jar again with deflate and without a password, as `jar` does".into()
            }
            Self::Conflict { .. } => "remove one of the two inputs, or rename the file in one of them".into(),
            Self::ClassTwice { .. } => {
                "two classes of one name are two types at run time: keep the class in one place only".into()
            }
            Self::Epoch { .. } => "unset it, or set it to the output of `git log -1 --format=%ct`".into(),
            Self::Unwritable { .. } => "check that the folder exists and that you may write there, or choose another with `-o`".into(),
            Self::OutputName { .. } => {
                "the JVM reads the name from `Boot-Class-Path` as a URL: choose a plain one with `-o`".into()
            }
            Self::JarNotWritten { .. } => "check the space on the disk".into(),
            Self::SelfCheck { base: Some(base), .. } => {
                format!("`fatagent verify {}` shows whether the base is whole", shell::quoted(base))
            }
            Self::SelfCheck { base: None, .. } => "the old output was not touched; please report this with the inputs".into(),
            Self::Check(error) => error.hint(),
            Self::Lint(_) => "each line above says what to do about it".into(),
            Self::ProbePattern(_) => "correct the pattern; look-around and back references do not exist".into(),
            Self::NoExtensionToml { .. } => "create `extension.toml` there, with `id` and `version`, or name one".into(),
            Self::NoAgentToml { .. } => "create `agent.toml` there, or name one with `--file`".into(),
            Self::Cargo { .. } => "run `cargo metadata` in that folder to see the whole error".into(),
            Self::CargoPackage(error) => error.hint(),
            Self::CargoDriver(error) => error.hint(),
            Self::NotSupported { .. } => "remove it, or use a later version of fatagent".into(),
            Self::OtherLayout { layout, .. } => format!("remove it, or set `layout = \"{layout}\"` under `[agent]`"),
            Self::ReservedAttribute { .. } => "remove it from `[manifest] attributes`".into(),
            Self::NoMatch { .. } => "patterns are relative to the folder of the file that holds them; `**` stands for any folders".into(),
            Self::Pattern { .. } => "use a relative path with `*`, `?` and `**`".into(),
            Self::NotMasked { .. } => {
                "give a masked agent jar, such as one that fatagent built, or leave `base` out for the built-in one".into()
            }
            Self::NoCore { available, .. } if available.is_empty() => "the base has no core at all: use another base".into(),
            Self::NoCore { available, .. } => format!("set `targets` to some of {}", listed(available)),
            Self::NotInstalled(source) => source.hint(),
            Self::Ext(source) => source.hint(),
            Self::Build(source) => return source.hint(),
            Self::Mask(source) => return source.hint(),
            Self::Foreign(source) => source.hint(),
            Self::Bundle(source) => source.hint(),
            Self::Maven(source) => source.hint(),
            Self::Publish(source) => return source.hint(),
            Self::AgentToml(source) | Self::Format { source, .. } => return source.hint(),
            Self::Merge(source) => source.hint(),
            Self::Class { source, .. } => {
                return source.hint().or_else(|| Some("compile the class again".into()));
            }
            Self::ClassName { .. } => "move the file to the folder of its package".into(),
            Self::Extension(error) => error.hint(),
            Self::SourceProbe { .. } => "compile it with `javac` and include the class".into(),
            Self::NotAProbe { .. } => {
                "a probe is a `.class` file whose class has the annotation `io.btrace.core.annotations.BTrace`".into()
            }
            Self::VerifyFailed { .. } => "build the jar again; a jar that was edited by hand no longer holds".into(),
            Self::GatesFailed { .. } => {
                "the old output was not touched; change the inputs or `[verify]`, and `--update-golden` writes the listing anew"
                    .into()
            }
            Self::NoGolden { .. } => "add `golden = \"agent.listing\"` to `[verify]`".into(),
            Self::AgainstFailed { .. } => {
                "where each of them is meant, compare with this jar from now on; `--allow-growth` accepts a larger one".into()
            }
            Self::JarWithoutCore { available, .. } if available.is_empty() => {
                "the jar is no agent that fatagent built: give another one".into()
            }
            Self::JarWithoutCore { available, .. } => {
                format!("it has cores for {}; `--all` writes them out", listed(available))
            }
            Self::CoreHash { .. } => "the jar was changed after it was built: get or build it again".into(),
            Self::Attach { source, .. } => return source.hint(),
            Self::NoCoreRunning { .. } => "check the process id with `jcmd`; there is nothing to switch off".into(),
            Self::CoreProperty { .. } => "use the version of fatagent that built the agent".into(),
            Self::JarGone { .. } => "put the same jar back at that path, or restart the process without the agent".into(),
            Self::Demo { hint, .. } => return hint.clone(),
        };
        Some(text)
    }
}
