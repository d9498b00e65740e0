//! What a class looks up by names that are constants.

use std::collections::BTreeSet;

use classfile::ClassFile;
use classfile::bytecode::Bytecode;
use classfile::values::{Given, Machine, Value, each_call};

use super::Area;
use super::demand::{Demand, Kind, Reach, Sort, What};
use super::references::text;

/// Calls that look something up, and which of them name what is not a constant.
#[derive(Debug, Default)]
pub(super) struct Computed(pub(super) BTreeSet<String>);

/// Helpers of the extension API.
const LOADING: &str = "io/btrace/extension/util/ClassLoadingUtil";
const HANDLES: &str = "io/btrace/extension/util/MethodHandleCache";
const LOOKUP: &str = "java/lang/invoke/MethodHandles$Lookup";
const CLASS: &str = "java/lang/Class";
const METHOD_TYPE: &str = "java/lang/invoke/MethodType";

/// Adds what `file` looks up in the area.
pub(super) fn add(file: &ClassFile<'_>, area: &Area, demands: &mut BTreeSet<Demand>, computed: &mut Computed) {
    let this = text(file.this_name()).replace('/', ".");
    for method in file.methods() {
        let Ok(Some(code)) = Bytecode::of(&method) else { continue };
        let place = format!("{this}.{}", text(method.name));
        let mut watcher = Watcher { area, demands, computed, place, types: Vec::new(), perhaps: BTreeSet::new() };
        each_call(file.pool(), code, |machine, given| watcher.call(machine, given));
    }
}

struct Watcher<'w> {
    area: &'w Area,
    demands: &'w mut BTreeSet<Demand>,
    computed: &'w mut Computed,
    place: String,
    /// Descriptors of the method types that were made, which marks stand for.
    types: Vec<String>,
    /// Classes that the method gets only if they are there, so that it has to do without their members, too.
    perhaps: BTreeSet<String>,
}

impl Watcher<'_> {
    fn call<'s>(&mut self, machine: &Machine<'s, '_>, given: &Given<'_, 's>) -> Option<Value<'s>> {
        let (owner, name) = (text(given.member.class), text(given.member.name));
        let by_name = match (owner.as_str(), name.as_str()) {
            (CLASS, "forName") | (LOOKUP, "findClass") | (LOADING, "load" | "tryLoad" | "loadFromContext") => true,
            (_, "loadClass") => given.member.descriptor.starts_with(b"(Ljava/lang/String;"),
            _ => false,
        };
        if by_name {
            return self.class_by_name(given, name == "tryLoad");
        }
        let first = given.arguments.first();
        match (owner.as_str(), name.as_str()) {
            (METHOD_TYPE, "methodType") => {
                self.types.push(method_type(machine, given.arguments)?);
                return Some(Value::Mark(self.types.len() - 1));
            }
            (CLASS, "getMethod" | "getDeclaredMethod") => {
                let parameters = given.arguments.get(1).and_then(|value| classes(machine, value));
                let reach = if name == "getMethod" { Reach::Public } else { Reach::Declared };
                self.member(
                    &given.receiver,
                    first,
                    Sort::Method,
                    parameters.as_deref().map(parameters_of),
                    None,
                    reach,
                );
            }
            (CLASS, "getField" | "getDeclaredField") => {
                let reach = if name == "getField" { Reach::Public } else { Reach::Declared };
                self.member(&given.receiver, first, Sort::Field, None, None, reach);
            }
            (CLASS, "getConstructor" | "getDeclaredConstructor") => {
                let parameters = first.and_then(|value| classes(machine, value));
                let reach = if name == "getConstructor" { Reach::Public } else { Reach::Declared };
                let descriptor = parameters.map(|types| parameters_of(&types) + "V");
                self.member(&given.receiver, Some(&Value::Text(b"<init>")), Sort::Method, descriptor, None, reach);
            }
            (LOOKUP, "findVirtual" | "findStatic" | "findSpecial") => {
                let descriptor = self.made_type(given.arguments.get(2));
                let is_static = Some(name == "findStatic");
                self.member(first?, given.arguments.get(1), Sort::Method, descriptor, is_static, Reach::Public);
            }
            (LOOKUP, "findConstructor") => {
                let descriptor = self.made_type(given.arguments.get(1));
                self.member(first?, Some(&Value::Text(b"<init>")), Sort::Method, descriptor, None, Reach::Public);
            }
            (LOOKUP, "findGetter" | "findSetter" | "findVarHandle") => self.handle_of_field(given, false),
            (LOOKUP, "findStaticGetter" | "findStaticSetter" | "findStaticVarHandle") => {
                self.handle_of_field(given, true);
            }
            (HANDLES, "findVirtual" | "findStatic") => {
                let result = given.arguments.get(2).and_then(descriptor_of);
                let parameters = given.arguments.get(3).and_then(|value| classes(machine, value));
                let descriptor = parameters.zip(result).map(|(types, result)| parameters_of(&types) + &result);
                let is_static = Some(name == "findStatic");
                self.member(first?, given.arguments.get(1), Sort::Method, descriptor, is_static, Reach::Public);
            }
            _ => {}
        }
        None
    }

    fn class_by_name<'s>(&mut self, given: &Given<'_, 's>, optional: bool) -> Option<Value<'s>> {
        let Some(name) = given.arguments.iter().find_map(as_text) else {
            let owner = text(given.member.class).replace('/', ".");
            self.computed.0.insert(format!("{}: {owner}.{}", self.place, text(given.member.name)));
            return None;
        };
        let class = text(name).replace('.', "/");
        if self.area.has(class.trim_start_matches('[').trim_start_matches('L').trim_end_matches(';')) {
            self.demand(What::Class(class.clone()), optional);
        }
        if optional {
            self.perhaps.insert(class.clone());
        } else {
            self.perhaps.remove(&class);
        }
        // A method that gives something else than the class, such as an `Optional`, ends the trail.
        given.member.descriptor.ends_with(b")Ljava/lang/Class;").then(|| Value::Class(class.into_bytes()))
    }

    fn handle_of_field(&mut self, given: &Given<'_, '_>, is_static: bool) {
        let Some(class) = given.arguments.first() else { return };
        let descriptor = given.arguments.get(2).and_then(descriptor_of);
        self.member(class, given.arguments.get(1), Sort::Field, descriptor, Some(is_static), Reach::Public);
    }

    fn member(
        &mut self,
        class: &Value<'_>,
        name: Option<&Value<'_>>,
        sort: Sort,
        descriptor: Option<String>,
        is_static: Option<bool>,
        reach: Reach,
    ) {
        let Value::Class(class) = class else {
            let name = name.and_then(as_text).map_or_else(String::new, |name| format!(" `{}`", text(name)));
            self.computed.0.insert(format!("{}: member{name} of a class that is not a constant", self.place));
            return;
        };
        let class = text(class);
        if !self.area.has(&class) {
            return;
        }
        let Some(name) = name.and_then(as_text).map(text) else {
            let class = class.replace('/', ".");
            self.computed.0.insert(format!("{}: member of `{class}` whose name is not a constant", self.place));
            return;
        };
        let declared_here = name == "<init>" || reach == Reach::Declared;
        let optional = self.perhaps.contains(&class);
        self.demand(
            What::Member { class, sort, name, descriptor, is_static, is_interface: None, reach, declared_here },
            optional,
        );
    }

    fn demand(&mut self, what: What, optional: bool) {
        self.demands.insert(Demand { what, kind: Kind::LookUp, place: self.place.clone(), optional });
    }

    fn made_type(&self, value: Option<&Value<'_>>) -> Option<String> {
        match value {
            Some(Value::Mark(index)) => self.types.get(*index).cloned(),
            _ => None,
        }
    }
}

fn as_text<'s>(value: &Value<'s>) -> Option<&'s [u8]> {
    if let Value::Text(text) = value { Some(text) } else { None }
}

/// The descriptor of the type that a class object stands for.
fn descriptor_of(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Class(name) if name.starts_with(b"[") => Some(text(name)),
        Value::Class(name) => Some(format!("L{};", text(name))),
        // `int.class` is read from a field of its box.
        Value::Static(owner, b"TYPE") => {
            let letter = match owner.strip_prefix(b"java/lang/")? {
                b"Boolean" => "Z",
                b"Byte" => "B",
                b"Character" => "C",
                b"Short" => "S",
                b"Integer" => "I",
                b"Long" => "J",
                b"Float" => "F",
                b"Double" => "D",
                b"Void" => "V",
                _ => return None,
            };
            Some(letter.to_owned())
        }
        _ => None,
    }
}

/// Descriptors of the types in an array of class objects; `None` if one is not known.
fn classes(machine: &Machine<'_, '_>, value: &Value<'_>) -> Option<Vec<String>> {
    let Value::Array(array) = value else { return None };
    machine.array(*array)?.iter().map(descriptor_of).collect()
}

fn parameters_of(types: &[String]) -> String {
    format!("({})", types.concat())
}

/// The descriptor of a method type: the result, then perhaps a parameter, then perhaps an array of more.
fn method_type(machine: &Machine<'_, '_>, arguments: &[Value<'_>]) -> Option<String> {
    let (result, rest) = arguments.split_first()?;
    let mut types = Vec::new();
    for value in rest {
        match value {
            Value::Array(_) => types.extend(classes(machine, value)?),
            value => types.push(descriptor_of(value)?),
        }
    }
    Some(parameters_of(&types) + &descriptor_of(result)?)
}
