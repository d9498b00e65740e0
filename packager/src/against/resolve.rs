//! Whether a release has what an extension asks for.

use classfile::{access, descriptor};
use probe::NamePattern;

use super::demand::{Reach, Role, Sort, What};
use super::patterns::regex_of;
use super::release::{Found, Member, Release, Shape};
use crate::class::slashed;

/// The answer of one release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is there.
    Resolved,
    /// It is not, with the reason.
    Missing(String),
    /// It cannot be known, because a supertype lies outside; its internal name.
    Unknown(String),
}

/// Looks for `what` in a release.
pub(super) fn resolve(what: &What, release: &Release) -> Verdict {
    match what {
        What::Class(class) => {
            let element = class.trim_start_matches('[');
            let name = element.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
            let name = if element.len() == class.len() { element } else { name.unwrap_or(element) };
            if release.class(name).is_some() { Verdict::Resolved } else { no_class(name) }
        }
        What::Used { class, role } => {
            let Some(shape) = release.class(class) else { return no_class(class) };
            misuse(shape, *role).map_or(Verdict::Resolved, |problem| unfit(class, problem))
        }
        What::Member { class, sort, name, descriptor, is_static, is_interface, reach, declared_here } => {
            let Some(shape) = release.class(class) else { return no_class(class) };
            if let Reach::From(_) = reach
                && let Some(problem) = misuse(shape, Role::Named)
            {
                return unfit(class, problem);
            }
            if is_interface.is_some_and(|wanted| wanted != shape.is(access::INTERFACE)) {
                let is = if shape.is(access::INTERFACE) { "is an interface there" } else { "is no interface there" };
                return unfit(class, is);
            }
            let wanted = |member: &Member| member.name == *name && fits(member, descriptor.as_deref(), *sort);
            let found = if *declared_here {
                let own = members(shape, *sort).iter().find(|member| wanted(member));
                own.map_or(Found::Nowhere, |member| Found::Here(class, member))
            } else {
                release.find(class, |shape| members(shape, *sort), wanted)
            };
            match found {
                Found::Here(owner, member) => usable(owner, member, *is_static, reach, release),
                Found::Perhaps(outside) => Verdict::Unknown(outside),
                Found::Nowhere => Verdict::Missing(no_member(shape, *sort, name)),
            }
        }
        What::Matches { class, method, signature } => matches(class, method, signature, release),
    }
}

/// Why a class cannot be used as this by other packages.
fn misuse(shape: &Shape, role: Role) -> Option<&'static str> {
    let is = |flag| shape.is(flag);
    match role {
        _ if !is(access::PUBLIC) => Some("is not public"),
        Role::Made | Role::Extended if is(access::INTERFACE) => Some("is an interface there"),
        Role::Made if is(access::ABSTRACT) => Some("is abstract there"),
        Role::Extended if is(access::FINAL) => Some("is final there"),
        Role::Implemented if !is(access::INTERFACE) => Some("is no interface there"),
        _ => None,
    }
}

fn unfit(class: &str, problem: &str) -> Verdict {
    Verdict::Missing(format!("`{}` {problem}", class.replace('/', ".")))
}

fn no_class(name: &str) -> Verdict {
    Verdict::Missing(format!("there is no class `{}`", name.replace('/', ".")))
}

fn members(shape: &Shape, sort: Sort) -> &[Member] {
    match sort {
        Sort::Field => &shape.fields,
        Sort::Method => &shape.methods,
    }
}

fn fits(member: &Member, descriptor: Option<&str>, sort: Sort) -> bool {
    descriptor.is_none_or(|descriptor| match sort {
        // Only the parameters are known where the result is not asked for.
        Sort::Method if descriptor.ends_with(')') => member.descriptor.starts_with(descriptor),
        _ => member.descriptor == descriptor,
    })
}

fn usable(class: &str, member: &Member, is_static: Option<bool>, reach: &Reach, release: &Release) -> Verdict {
    let owner = class.replace('/', ".");
    if is_static.is_some_and(|wanted| wanted != member.is_static()) {
        let is = if member.is_static() { "is static" } else { "is not static" };
        return Verdict::Missing(format!("`{owner}.{}` {is}", member.name));
    }
    let allowed = match reach {
        Reach::Declared => true,
        Reach::From(superclass) if member.is_protected() => match release.is_below(superclass, class) {
            Some(true) => true,
            Some(false) => {
                return Verdict::Missing(format!("`{owner}.{}` is protected, and this is no subclass", member.name));
            }
            None => return Verdict::Unknown(superclass.clone()),
        },
        Reach::Public | Reach::From(_) => member.is_public(),
    };
    if allowed { Verdict::Resolved } else { Verdict::Missing(format!("`{owner}.{}` is not public", member.name)) }
}

/// What the class has instead.
fn no_member(shape: &Shape, sort: Sort, name: &str) -> String {
    let alike: Vec<String> = members(shape, sort)
        .iter()
        .filter(|member| member.name == name)
        .map(|member| format!("`{}`", member.descriptor))
        .collect();
    let word = if sort == Sort::Field { "field" } else { "method" };
    if alike.is_empty() {
        format!("there is no {word} of that name")
    } else {
        format!("it has other types there: {}", alike.join(", "))
    }
}

/// Whether some method of the release is matched.
fn matches(class: &str, method: &str, signature: &str, release: &Release) -> Verdict {
    if [class, method].iter().any(|pattern| pattern.contains("${")) {
        return Verdict::Unknown("a script argument".to_owned());
    }
    let by_name = Pattern::of(class);
    let mut classes = 0_usize;
    let mut inherited = None;
    let exact = matches!(by_name, Pattern::Name(_) | Pattern::Super(_));
    let found =
        |name: &str, shape: &Shape| method_matches(method, signature, shape) || (method.is_empty() && !name.is_empty());
    if exact {
        let (Pattern::Name(name) | Pattern::Super(name)) = &by_name else { return Verdict::Resolved };
        let internal = slashed(name);
        let Some(shape) = release.class(&internal) else { return no_class(&internal) };
        if found(name, shape) {
            return Verdict::Resolved;
        }
        // The method of a subtype is woven by `+`, and may be declared there only.
        if let Pattern::Super(_) = by_name {
            let below = release.own().any(|(name, shape)| {
                method_matches(method, signature, shape) && release.is_below(name, &internal) == Some(true)
            });
            return if below { Verdict::Resolved } else { no_method(method, signature, 1) };
        }
        let above = release.find(
            &internal,
            |shape| &shape.methods,
            |member| member_matches(method, signature, member) && !member.name.starts_with('<'),
        );
        if let Found::Here(owner, _) = above {
            inherited = Some(owner.replace('/', "."));
        }
        return inherited.map_or_else(
            || no_method(method, signature, 1),
            |owner| Verdict::Missing(format!("it is inherited from `{owner}` there, which is what a probe must name")),
        );
    }
    for (name, shape) in release.own() {
        if by_name.matches(&name.replace('/', "."), shape) {
            classes += 1;
            if found(name, shape) {
                return Verdict::Resolved;
            }
        }
    }
    if classes == 0 { Verdict::Missing("no class matches".to_owned()) } else { no_method(method, signature, classes) }
}

fn no_method(method: &str, signature: &str, classes: usize) -> Verdict {
    let of = if classes == 1 { "the class has".to_owned() } else { format!("the {classes} classes that match have") };
    let typed = if signature.is_empty() { String::new() } else { format!(" with type `{signature}`") };
    Verdict::Missing(format!("{of} no method `{method}`{typed}"))
}

fn method_matches(method: &str, signature: &str, shape: &Shape) -> bool {
    if let Some(annotation) = method.strip_prefix('@') {
        let wanted = Pattern::of(annotation);
        return shape.method_annotations.iter().flatten().any(|name| wanted.is(name));
    }
    shape.methods.iter().any(|member| member_matches(method, signature, member))
}

fn member_matches(method: &str, signature: &str, member: &Member) -> bool {
    if !Pattern::of(method).is(&member.name) {
        return false;
    }
    signature.is_empty() || java_signature(&member.descriptor).is_some_and(|spelled| spelled == signature)
}

/// `void(java.lang.String,int)` for a descriptor.
fn java_signature(method: &str) -> Option<String> {
    let parsed = descriptor::method(method).ok()?;
    let parameters: Vec<String> = parsed.parameters.iter().map(descriptor::FieldType::java_name).collect();
    let result = parsed.result.map_or_else(|| "void".to_owned(), |result| result.java_name());
    Some(format!("{result}({})", parameters.join(",")))
}

/// A pattern of a probe.
enum Pattern<'p> {
    Name(&'p str),
    Super(&'p str),
    Annotation(&'p str),
    Regex(Option<NamePattern>),
}

impl<'p> Pattern<'p> {
    fn of(text: &'p str) -> Self {
        if let Some(regex) = regex_of(text) {
            // What does not compile was refused when it was read.
            return Self::Regex(NamePattern::new(regex).ok());
        }
        match text.split_at_checked(1) {
            Some(("+", name)) => Self::Super(name),
            Some(("@", name)) => Self::Annotation(name),
            _ => Self::Name(text),
        }
    }

    /// Whether a name is matched.
    fn is(&self, name: &str) -> bool {
        match self {
            Self::Name(text) | Self::Super(text) | Self::Annotation(text) => *text == name,
            Self::Regex(regex) => regex.as_ref().is_some_and(|regex| regex.matches(name)),
        }
    }

    fn matches(&self, name: &str, shape: &Shape) -> bool {
        match self {
            Self::Annotation(annotation) => {
                let wanted = Self::of(annotation);
                shape.annotations.iter().any(|name| wanted.is(name))
            }
            other => other.is(name),
        }
    }
}
