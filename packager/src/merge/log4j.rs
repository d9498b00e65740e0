//! The plugin cache of Log4j 2: a binary list of its plugin classes, one per jar.
//!
//! As `DataOutputStream` writes it: a number of categories; for each its name, a number of plugins, and for each of these
//! key, class and element name, then whether it is printable and whether its children come first.

use classfile::mutf8;

use super::MergeError;
use super::relocate::Relocation;
use super::rule::{Rule, Source};
use crate::error::Result;
use crate::origin::Origin;

/// Where the cache lies.
pub(super) const PATH: &str = "META-INF/org/apache/logging/log4j/core/config/plugins/Log4j2Plugins.dat";

/// The plugin cache.
pub(super) struct PluginCache;

/// One plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plugin {
    key: String,
    /// Dotted class name.
    pub(super) class: String,
    name: String,
    printable: bool,
    defer: bool,
}

/// The plugins of one category.
pub(super) type Category = (String, Vec<Plugin>);

impl Rule for PluginCache {
    fn name(&self) -> &'static str {
        "log4j plugins"
    }

    fn matches(&self, path: &str) -> bool {
        path == PATH
    }

    fn relocate(&self, source: &Source, relocation: &Relocation) -> Result<Option<Vec<u8>>> {
        let mut categories = read(&source.bytes, &source.origin)?;
        let mut changed = false;
        for plugin in categories.iter_mut().flat_map(|(_, plugins)| plugins) {
            if let Some(new) = relocation.class(&plugin.class) {
                plugin.class = new;
                changed = true;
            }
        }
        Ok(changed.then(|| write(&categories)))
    }

    fn join(&self, sources: &[Source]) -> Result<Vec<u8>> {
        let mut joined: Vec<Category> = Vec::new();
        let mut owners: Vec<(String, String, &Origin)> = Vec::new();
        for source in sources {
            for (category, plugins) in read(&source.bytes, &source.origin)? {
                let at = joined.iter().position(|(known, _)| *known == category).unwrap_or_else(|| {
                    joined.push((category.clone(), Vec::new()));
                    joined.len() - 1
                });
                for plugin in plugins {
                    match joined[at].1.iter().find(|known| known.key == plugin.key) {
                        Some(known) if *known == plugin => {}
                        Some(_) => {
                            let owner = owners.iter().find(|(of, key, _)| *of == category && *key == plugin.key);
                            let first = owner.map_or(&source.origin, |(.., origin)| origin);
                            return Err(MergeError::Key {
                                key: format!("{category}/{}", plugin.key),
                                first: Box::new(first.clone()),
                                second: Box::new(source.origin.clone()),
                            }
                            .into());
                        }
                        None => {
                            owners.push((category.clone(), plugin.key.clone(), &source.origin));
                            joined[at].1.push(plugin);
                        }
                    }
                }
            }
        }
        Ok(write(&joined))
    }
}

/// Reads a cache to its last byte.
///
/// # Errors
/// It ends early, goes on after its end, or is something else.
pub(super) fn read(bytes: &[u8], origin: &Origin) -> Result<Vec<Category>> {
    let malformed = |problem: &str| {
        let problem = format!("not a Log4j 2 plugin cache: {problem}");
        MergeError::Malformed { origin: Box::new(origin.clone()), problem }
    };
    let mut input = Input(bytes);
    let categories = input.cache().ok_or_else(|| malformed("it ends early or holds impossible values"))?;
    if input.0.is_empty() { Ok(categories) } else { Err(malformed("it goes on after its end").into()) }
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn cache(&mut self) -> Option<Vec<Category>> {
        let mut categories = Vec::new();
        for _ in 0..self.count()? {
            let name = self.text()?;
            let mut plugins = Vec::new();
            for _ in 0..self.count()? {
                plugins.push(Plugin {
                    key: self.text()?,
                    class: self.text()?,
                    name: self.text()?,
                    printable: self.flag()?,
                    defer: self.flag()?,
                });
            }
            categories.push((name, plugins));
        }
        Some(categories)
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number that is not negative; what it counts is at least a byte each, so that it cannot make us reserve memory.
    fn count(&mut self) -> Option<usize> {
        let number = i32::from_be_bytes(self.take(4)?.try_into().ok()?);
        usize::try_from(number).ok().filter(|count| *count <= self.0.len())
    }

    fn text(&mut self) -> Option<String> {
        let length = u16::from_be_bytes(self.take(2)?.try_into().ok()?);
        mutf8::decode(self.take(usize::from(length))?).ok().map(|text| text.to_string())
    }

    fn flag(&mut self) -> Option<bool> {
        match self.take(1)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

/// Writes a cache.
pub(super) fn write(categories: &[Category]) -> Vec<u8> {
    let mut out = Vec::new();
    let count = |out: &mut Vec<u8>, number: usize| out.extend((number as u32).to_be_bytes());
    let text = |out: &mut Vec<u8>, text: &str| {
        let bytes = mutf8::encode(text);
        out.extend((bytes.len() as u16).to_be_bytes());
        out.extend_from_slice(&bytes);
    };
    count(&mut out, categories.len());
    for (name, plugins) in categories {
        text(&mut out, name);
        count(&mut out, plugins.len());
        for plugin in plugins {
            for part in [&plugin.key, &plugin.class, &plugin.name] {
                text(&mut out, part);
            }
            out.extend([u8::from(plugin.printable), u8::from(plugin.defer)]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plugin(key: &str, class: &str) -> Plugin {
        Plugin { key: key.into(), class: class.into(), name: key.to_uppercase(), printable: true, defer: false }
    }

    fn source(name: &str, categories: &[Category]) -> Source {
        Source { bytes: write(categories), origin: Origin::File(name.into()) }
    }

    #[test]
    fn categories_and_plugins_are_united() {
        let one = source("a", &[("core".into(), vec![plugin("k1", "p.P1")]), ("é".into(), vec![])]);
        let two = source("b", &[("core".into(), vec![plugin("k2", "p.P2"), plugin("k1", "p.P1")])]);
        let joined = PluginCache.join(&[one, two]).unwrap();
        let expected = [("core".into(), vec![plugin("k1", "p.P1"), plugin("k2", "p.P2")]), ("é".into(), vec![])];
        assert_eq!(read(&joined, &Origin::File("j".into())).unwrap(), expected);
    }

    #[test]
    fn one_key_for_two_classes_names_both_files() {
        let one = source("a", &[("core".into(), vec![plugin("k", "p.P1")])]);
        let two = source("b", &[("core".into(), vec![plugin("k", "p.P2")])]);
        let message = PluginCache.join(&[one, two]).unwrap_err().to_string();
        assert_eq!(message, "two different values of `core/k`: in `a`, and in `b`");
    }

    #[test]
    fn every_truncation_and_what_follows_the_end_is_refused() {
        let whole = write(&[("core".into(), vec![plugin("k1", "p.P1")])]);
        let origin = Origin::File("x".into());
        for length in 0..whole.len() {
            let message = read(&whole[..length], &origin).unwrap_err().to_string();
            assert!(message.starts_with("cannot join `x`: not a Log4j 2 plugin cache: it ends early"), "{message}");
        }
        let longer = [&whole[..], &[0]].concat();
        let message = read(&longer, &origin).unwrap_err().to_string();
        assert_eq!(message, "cannot join `x`: not a Log4j 2 plugin cache: it goes on after its end");
        assert!(read(&[0xff; 40], &origin).is_err(), "negative count");
    }
}
