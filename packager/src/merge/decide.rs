//! Decides what becomes of the files of one path: one of them, a new one, or a conflict.

use std::sync::Arc;

use manifests::agent_toml::{MergeRule, MergeStrategy};

use super::error::MergeError;
use super::part::Part;
use super::relocate::{self, Relocation};
use super::rule::{Source, rule_for};
use super::{log4j, properties, reference};
use crate::assemble::Content;
use crate::error::{Error, Result};
use crate::glob::Pattern;
use crate::origin::Origin;
use crate::printer::Printer;

/// What becomes of the files of one path.
enum Outcome<'a> {
    /// One of them is copied.
    Copy(Part<'a>),
    /// They became these bytes; the text says how.
    Made(Vec<u8>, String),
    /// Nothing decides between these two.
    Conflict(Origin, Origin),
}

/// Paths for which nothing decides between two files.
#[derive(Debug, Default)]
pub(crate) struct Conflicts(Vec<(String, Origin, Origin)>);

impl Conflicts {
    /// All of them as one error, if there is any; `shown` gives the name of a path in the output.
    ///
    /// # Errors
    /// There is.
    pub(crate) fn check(self, shown: impl Fn(&str) -> String) -> Result<()> {
        let mut conflicts = self.0.into_iter();
        let Some((path, first, second)) = conflicts.next() else { return Ok(()) };
        let path = shown(&path);
        let others = conflicts.map(|(path, ..)| shown(&path)).collect();
        Err(MergeError::Conflict { path, first: Box::new(first), second: Box::new(second), others }.into())
    }
}

/// The user's decisions, and how classes move.
pub(crate) struct Decisions<'a> {
    pub(super) relocation: Option<Arc<Relocation>>,
    rules: Vec<(Pattern, &'a MergeRule)>,
    /// What a path of the output would be in an ordinary jar, by which the kind of a file is known.
    kind: Box<dyn Fn(&str) -> &str + 'a>,
}

impl<'a> Decisions<'a> {
    /// Reads the patterns of `rules`, which are written at the place that the second value names.
    ///
    /// # Errors
    /// A pattern is malformed.
    pub(crate) fn new((rules, at): (&'a [MergeRule], &str), relocation: Option<Arc<Relocation>>) -> Result<Self> {
        let parsed = rules.iter().map(|rule| {
            let pattern = Pattern::parse(&rule.pattern).map_err(|problem| Error::Pattern {
                at: at.to_owned(),
                pattern: rule.pattern.clone(),
                problem,
            })?;
            Ok((pattern, rule))
        });
        Ok(Self { relocation, rules: parsed.collect::<Result<_>>()?, kind: Box::new(|path| path) })
    }

    /// With `kind`, which says for a path of the output what it would be in an ordinary jar.
    pub(crate) fn with_kind(self, kind: impl Fn(&str) -> &str + 'a) -> Self {
        Self { kind: Box::new(kind), ..self }
    }

    /// The one file that `parts`, the files at `path` in the order of the inputs, become; nothing where nothing decides
    /// between two of them, which is noted in `conflicts`.
    ///
    /// # Errors
    /// A file cannot be read, or not be joined.
    pub(crate) fn settle(
        &self,
        path: &str,
        parts: &[Part<'_>],
        conflicts: &mut Conflicts,
        printer: &Printer,
    ) -> Result<Option<(Content, Origin)>> {
        Ok(match self.decide(path, parts, printer)? {
            Outcome::Copy(part) => Some((self.content(path, part)?, part.origin())),
            Outcome::Made(bytes, how) => Some((Content::Bytes(bytes), Origin::Generated(how))),
            Outcome::Conflict(first, second) => {
                conflicts.0.push((path.to_owned(), first, second));
                None
            }
        })
    }

    fn decide<'p>(&self, path: &str, parts: &[Part<'p>], printer: &Printer) -> Result<Outcome<'p>> {
        let first = parts[0];
        let mut distinct = vec![first];
        'parts: for part in &parts[1..] {
            for known in &distinct {
                if self.same(path, part, known)? {
                    printer.detail(&format!("{} is the same as {}: kept once", part.origin(), known.origin()));
                    continue 'parts;
                }
            }
            distinct.push(*part);
        }
        let [_, second, ..] = distinct[..] else {
            // A cache that cannot be read fails here, and not in somebody's production log.
            if (self.kind)(path) == log4j::PATH {
                log4j::read(&first.read()?, &first.origin())?;
            }
            return Ok(Outcome::Copy(first));
        };
        if let Some((_, rule)) = self.rules.iter().find(|(pattern, _)| pattern.matches(path)) {
            return self.apply(rule, path, &distinct, printer);
        }
        let Some(rule) = rule_for((self.kind)(path)) else {
            return Ok(Outcome::Conflict(first.origin(), second.origin()));
        };
        let bytes = rule.join(&self.sources(path, &distinct)?)?;
        report(path, rule.name(), &distinct, printer);
        Ok(Outcome::Made(bytes, format!("from the {} of {} inputs", rule.name(), distinct.len())))
    }

    /// Whether two files are the same one in the output.
    fn same(&self, path: &str, one: &Part<'_>, two: &Part<'_>) -> Result<bool> {
        match &self.relocation {
            Some(relocation) if relocate::is_class(path) => Ok(one.same_as(two)? || relocation.same(one, two)?),
            _ => one.same_as(two),
        }
    }

    /// The content of a file of which there is only one.
    ///
    /// # Errors
    /// It is malformed and of a kind that names classes which move.
    fn content(&self, path: &str, part: Part<'_>) -> Result<Content> {
        let Some(relocation) = &self.relocation else { return part.content() };
        if let Part::Entry { archive, index } = part
            && relocate::is_class(path)
        {
            let relocation = Arc::clone(relocation);
            return Ok(Content::Moved { archive: Arc::clone(archive), index, relocation });
        }
        let Some(rule) = rule_for((self.kind)(path)) else { return part.content() };
        let source = Source { bytes: part.read()?, origin: part.origin() };
        rule.relocate(&source, relocation)?.map_or_else(|| part.content(), |bytes| Ok(Content::Bytes(bytes)))
    }

    /// The files of one path as their rule wants them, with new names.
    fn sources(&self, path: &str, parts: &[Part<'_>]) -> Result<Vec<Source>> {
        let moves = self.relocation.as_ref().zip(rule_for((self.kind)(path)));
        let source = |part: &Part<'_>| -> Result<Source> {
            let mut source = Source { bytes: part.read()?, origin: part.origin() };
            if let Some((relocation, rule)) = &moves
                && let Some(bytes) = rule.relocate(&source, relocation)?
            {
                source.bytes = bytes;
            }
            Ok(source)
        };
        parts.iter().map(source).collect()
    }

    /// Does what the user decided.
    fn apply<'p>(&self, rule: &MergeRule, path: &str, parts: &[Part<'p>], printer: &Printer) -> Result<Outcome<'p>> {
        let how = format!("`{}` as {}", rule.pattern, rule.strategy.word());
        let made = |bytes: Vec<u8>| Ok(Outcome::Made(bytes, format!("by {how}")));
        match rule.strategy {
            MergeStrategy::Error => return Ok(Outcome::Conflict(parts[0].origin(), parts[1].origin())),
            MergeStrategy::First | MergeStrategy::Last => {
                let kept = if rule.strategy == MergeStrategy::First { parts[0] } else { parts[parts.len() - 1] };
                let lost: Vec<String> = parts
                    .iter()
                    .map(Part::input)
                    .filter(|input| *input != kept.input())
                    .map(|input| format!("`{}`", input.display()))
                    .collect();
                let jar = kept.input().display();
                printer.status("Kept", &format!("`{path}` of `{jar}`, not of {}, by {how}", lost.join(", ")));
                return Ok(Outcome::Copy(kept));
            }
            MergeStrategy::Concatenate | MergeStrategy::Append => {}
        }
        report(path, &how, parts, printer);
        let sources = self.sources(path, parts)?;
        if rule.strategy == MergeStrategy::Concatenate {
            return made(sources.into_iter().flat_map(|source| source.bytes).collect());
        }
        if !path.ends_with(".properties") {
            return made(reference::lines(sources.iter()));
        }
        let (bytes, replaced) = properties::append(&sources)?;
        for line in replaced {
            printer.warning(&line);
        }
        made(bytes)
    }
}

/// Tells that the files at `path` became one.
fn report(path: &str, how: &str, parts: &[Part<'_>], printer: &Printer) {
    let jars: Vec<String> = parts.iter().map(|part| format!("`{}`", part.input().display())).collect();
    printer.status("Joined", &format!("`{path}` ({how}) of {}", jars.join(", ")));
}
