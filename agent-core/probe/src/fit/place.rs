//! What each kind of place has to pass.

use super::{Value, text};
use crate::kind::Kind;
use crate::weaving::{MethodInfo, Site, SiteKind, Source};
use classfile::descriptor;
use std::borrow::Cow;

pub(super) const THROWABLE: &str = "Ljava/lang/Throwable;";
const STRING: &str = "Ljava/lang/String;";
const OBJECT: &str = "Ljava/lang/Object;";

/// What a place has to pass to handlers.
#[derive(Debug, Default)]
pub(crate) struct Place<'a> {
    /// What plain parameters take before [`Self::all`] is asked.
    first: Option<Vec<Value<'a>>>,
    /// What `AnyType[]` collects, and what plain parameters take.
    pub(super) all: Vec<Value<'a>>,
    /// What plain parameters take where [`Self::all`] does not fit.
    last: Option<Vec<Value<'a>>>,
    /// What `@Return` takes; without a type for `void`.
    pub(super) result: Option<(Option<Cow<'a, str>>, Source)>,
    /// What `@TargetInstance` takes.
    pub(super) target: Option<Value<'a>>,
    /// Whether every value is an exception.
    pub(super) is_thrown: bool,
    /// What has the name that `@TargetMethodOrField` takes.
    named: Option<Site<'a>>,
}

impl<'a> Place<'a> {
    /// Name of the method, field or array type, or its signature; empty where there is none.
    pub(super) fn name(&self, full: bool) -> String {
        let Some(Site { kind, class, name, descriptor, .. }) = self.named else { return String::new() };
        match kind {
            SiteKind::ArrayGet | SiteKind::ArraySet => text::type_text(descriptor),
            _ if !full => name.to_owned(),
            SiteKind::Call => text::method(class, name, descriptor),
            _ => text::field(class, name, descriptor),
        }
    }

    /// The plain values, in each of the forms that plain parameters can take.
    pub(super) fn forms(&self) -> impl Iterator<Item = &[Value<'a>]> {
        self.first.iter().chain([&self.all]).chain(&self.last).map(Vec::as_slice)
    }

    /// Entry, return or error of a method; `None` if its descriptor is malformed.
    pub(crate) fn of_method(kind: Kind, method: &MethodInfo<'a>) -> Option<Self> {
        let parsed = descriptor::method(method.descriptor).ok()?;
        let all = values(parsed.parameters.iter().map(|p| p.descriptor), Source::Argument);
        let mut place = Self::plain(all);
        match kind {
            Kind::Return => place.result = Some((parsed.result.map(|r| r.descriptor.into()), Source::Return)),
            Kind::Error => {
                // The exception is what the language passes; a handler with the method's parameters is ours.
                let thrown: Value<'a> = (THROWABLE.into(), Source::Thrown);
                place.first = Some(vec![thrown.clone()]);
                place.target = Some(thrown);
            }
            _ => {}
        }
        Some(place)
    }

    /// A place within a method; `None` if its descriptor is malformed.
    pub(crate) fn of_site(site: &Site<'a>) -> Option<Self> {
        let owner = || if site.class.starts_with('[') { site.class.into() } else { format!("L{};", site.class).into() };
        let target = |descriptor: Cow<'a, str>| Some((descriptor, Source::Target));
        Some(match site.kind {
            SiteKind::Call => {
                let parsed = descriptor::method(site.descriptor).ok()?;
                let all = values(parsed.parameters.iter().map(|p| p.descriptor), Source::Operand);
                Self {
                    result: Some((parsed.result.map(|r| r.descriptor.into()), Source::Result)),
                    target: target(owner()),
                    named: Some(*site),
                    ..Self::plain(all)
                }
            }
            SiteKind::FieldGet | SiteKind::FieldSet => {
                let value = (site.kind == SiteKind::FieldSet).then_some(site.descriptor);
                Self {
                    result: Some((Some(site.descriptor.into()), Source::Result)),
                    target: target(owner()),
                    named: Some(*site),
                    ..Self::plain(values(value, Source::Operand))
                }
            }
            SiteKind::ArrayGet | SiteKind::ArraySet => {
                let element = site.descriptor.strip_prefix('[')?;
                let value = (site.kind == SiteKind::ArraySet).then_some(element);
                let all = values(std::iter::once("I").chain(value), Source::Operand);
                let array: Value<'a> = (site.descriptor.into(), Source::Target);
                let mut with_array = vec![array.clone()];
                with_array.extend(all.iter().cloned());
                Self {
                    last: Some(with_array),
                    result: Some((Some(element.into()), Source::Result)),
                    target: Some(array),
                    named: Some(*site),
                    ..Self::plain(all)
                }
            }
            SiteKind::CheckCast | SiteKind::InstanceOf => Self {
                target: target(OBJECT.into()),
                ..Self::plain(vec![(STRING.into(), Source::Text(text::type_text(site.descriptor)))])
            },
            SiteKind::Throw | SiteKind::Catch => {
                let thrown: Value<'a> = match site.kind {
                    SiteKind::Catch if !site.descriptor.is_empty() => (site.descriptor.into(), Source::Target),
                    _ => (THROWABLE.into(), Source::Target),
                };
                let is_thrown = true;
                Self { target: Some(thrown.clone()), is_thrown, ..Self::plain(vec![thrown]) }
            }
            SiteKind::New => Self {
                result: Some((Some(site.descriptor.into()), Source::Result)),
                ..Self::plain(vec![(STRING.into(), Source::Text(text::type_text(site.descriptor)))])
            },
            SiteKind::NewArray => {
                let element = site.descriptor.trim_start_matches('[');
                let dimensions = site.descriptor.len() - element.len();
                Self {
                    result: Some((Some(site.descriptor.into()), Source::Result)),
                    ..Self::plain(vec![
                        (STRING.into(), Source::Text(text::type_text(element))),
                        ("I".into(), Source::Int(i32::try_from(dimensions).ok()?)),
                    ])
                }
            }
            SiteKind::Line => Self::plain(vec![("I".into(), Source::Int(site.line.into()))]),
            SiteKind::SyncEntry | SiteKind::SyncExit => {
                let lock: Value<'a> = (OBJECT.into(), Source::Target);
                Self { target: Some(lock.clone()), ..Self::plain(vec![lock]) }
            }
        })
    }

    fn plain(all: Vec<Value<'a>>) -> Self {
        Self { all, ..Self::default() }
    }
}

fn values<'a>(descriptors: impl IntoIterator<Item = &'a str>, source: impl Fn(u16) -> Source) -> Vec<Value<'a>> {
    descriptors.into_iter().zip(0_u16..).map(|(d, i)| (d.into(), source(i))).collect()
}
