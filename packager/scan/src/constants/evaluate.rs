//! What a call needs, given what is known of its arguments.

use crate::classes::Classes;
use crate::outcome::{Blind, Edge, Found, Raw, Target};
use crate::permissions::Permissions;
use crate::report::Use;
use crate::rules::{BOOK, Check, Rule};
use classfile::values::{Machine, Value};
use manifests::permission::Permission;

/// The enumeration of open options.
const OPTIONS: &[u8] = b"java/nio/file/StandardOpenOption";

/// The receiver and the arguments of a call.
#[derive(Debug)]
pub(super) struct Arguments<'a, 's> {
    pub(super) receiver: Value<'s>,
    pub(super) values: &'a [Value<'s>],
}

impl<'s> Arguments<'_, 's> {
    fn class(&self, index: usize) -> Option<&[u8]> {
        self.values.get(index).and_then(as_class)
    }

    fn text(&self, index: usize) -> Option<&'s [u8]> {
        self.values.get(index).and_then(as_text)
    }
}

fn as_class<'v>(value: &'v Value<'_>) -> Option<&'v [u8]> {
    if let Value::Class(name) = value { Some(name) } else { None }
}

fn as_text<'s>(value: &Value<'s>) -> Option<&'s [u8]> {
    if let Value::Text(text) = value { Some(text) } else { None }
}

/// A handle to a method whose arguments decide: they are not known.
pub(crate) fn unknown(set: &Classes<'_>, class: u32, method: u32, member: u16, rule: &'static Rule, found: &mut Found) {
    let mut evaluator = Evaluator { set, class, method, found };
    evaluator.needs(Use::Handle, rule.permissions, rule.why, Target::Constant(member));
    if !matches!(rule.check, Check::Mode | Check::Options) {
        evaluator.blind(Target::Constant(member), "what it is called with is not known");
    }
}

/// Puts what a call needs into `found`.
#[derive(Debug)]
pub(super) struct Evaluator<'e, 's> {
    pub(super) set: &'e Classes<'s>,
    pub(super) class: u32,
    pub(super) method: u32,
    pub(super) found: &'e mut Found,
}

impl<'s> Evaluator<'_, 's> {
    /// Evaluates one call; gives what is known of its result.
    pub(super) fn call(
        &mut self,
        machine: &Machine<'s, '_>,
        rule: &'static Rule,
        target: Target,
        arguments: &Arguments<'_, 's>,
    ) -> Option<Value<'s>> {
        let reads = match rule.check {
            Check::Mode => matches!(arguments.values.last(), Some(Value::Text(b"r"))),
            Check::Options => reads_only(machine, arguments.values.last()),
            _ => false,
        };
        let named = arguments.values.iter().find_map(as_text);
        if rule.check == Check::ClassByName && named.is_none() {
            let both = [rule.permissions, &[Permission::Reflection]].concat();
            self.needs(Use::Call, &both, "names a class that is computed", target.clone());
            self.blind(target, "names a class that is computed");
            return None;
        }
        let permissions = if reads { &[Permission::FileRead][..] } else { rule.permissions };
        self.needs(Use::Call, permissions, rule.why, target.clone());
        match rule.check {
            Check::None | Check::Mode | Check::Options => None,
            Check::ClassByName => {
                let name: Vec<u8> = named?.iter().map(|&byte| if byte == b'.' { b'/' } else { byte }).collect();
                self.class_named(&name);
                Some(Value::Class(name))
            }
            Check::MemberByName => {
                self.member(as_class(&arguments.receiver), arguments.text(0), target);
                None
            }
            Check::HandleByName => {
                self.member(arguments.class(0), arguments.text(1), target);
                None
            }
            Check::ConstructorHandle => {
                self.instance(arguments.class(0), target);
                None
            }
            Check::Receiver => {
                self.instance(as_class(&arguments.receiver), target);
                None
            }
            Check::Unscannable => {
                self.blind(target, rule.why);
                None
            }
            Check::Providers => {
                let service = arguments.values.iter().find_map(as_class).map(<[u8]>::to_vec);
                self.found.edges.push((self.method, Edge::Providers(service)));
                None
            }
        }
    }

    fn needs(&mut self, how: Use, permissions: &[Permission], why: &'static str, target: Target) {
        let permissions = Permissions::of(permissions);
        if !permissions.is_empty() {
            let (class, method) = (self.class, self.method);
            self.found.findings.push(Raw { class, method, how, permissions, target, why });
        }
    }

    fn blind(&mut self, target: Target, why: &str) {
        let (class, method) = (self.class, self.method);
        self.found.blind.push(Blind { class, method, target, why: why.to_owned() });
    }

    /// A class that is named by a text or handed to reflection.
    fn class_named(&mut self, name: &[u8]) {
        if self.set.find(name).is_some() {
            self.found.edges.push((self.method, Edge::Class(name.to_vec())));
        } else if let Some(rule) = BOOK.owner(name).and_then(|owner| BOOK.whole(owner)) {
            self.needs(Use::Name, rule.permissions, rule.why, Target::Text(dotted(name)));
        }
    }

    /// A class that is instantiated by reflection.
    fn instance(&mut self, class: Option<&[u8]>, target: Target) {
        match class {
            Some(class) => self.class_named(class),
            None => self.blind(target, "makes an instance of a class that is computed"),
        }
    }

    /// A member that is looked up by name.
    fn member(&mut self, class: Option<&[u8]>, name: Option<&[u8]>, target: Target) {
        let (Some(class), Some(name)) = (class, name) else {
            return self.blind(target, "looks up a member that is computed");
        };
        if self.set.find(class).is_some() {
            self.found.edges.push((self.method, Edge::Class(class.to_vec())));
            return;
        }
        let Some(owner) = BOOK.owner(class) else { return };
        for rule in BOOK.named(owner, name) {
            let text = format!("{}.{}", dotted(class), String::from_utf8_lossy(name));
            self.needs(Use::Name, rule.permissions, rule.why, Target::Text(text.clone()));
            if !matches!(rule.check, Check::None | Check::Mode | Check::Options) {
                self.blind(Target::Text(text), "is called by reflection, with arguments that are not known");
            }
        }
    }
}

/// Whether an array of open options allows reading only. None at all means reading too.
fn reads_only(machine: &Machine<'_, '_>, options: Option<&Value<'_>>) -> bool {
    let Some(&Value::Array(array)) = options else { return false };
    let Some(options) = machine.array(array) else { return false };
    options.iter().all(|option| matches!(option, Value::Static(OPTIONS, b"READ")))
}

fn dotted(name: &[u8]) -> String {
    String::from_utf8_lossy(name).replace('/', ".")
}
