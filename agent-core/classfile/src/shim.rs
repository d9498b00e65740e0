//! Makes the class that stands in for a service which cannot be used.

use crate::bytes::{put2, put4};
use crate::descriptor::{self, Kind};
use crate::{Error, access, mutf8};
use std::collections::HashMap;

const VERSION: u16 = 52;
/// `ACC_SUPER`, which every class has.
const SUPER: u16 = 0x0020;
const OBJECT: &str = "java/lang/Object";
const FAILURE: &str = "java/lang/IllegalStateException";
const LIMIT: usize = 0xFFFF;

/// Writes a public class with a public constructor that implements an interface: each method does nothing and returns
/// null, zero or false; where a `message` is given, it throws an `IllegalStateException` instead.
///
/// `name` and `interface` are internal names; `methods` are names and descriptors. Code without branches needs no frames.
///
/// # Errors
/// A descriptor is malformed, or there is more than a class file can hold.
///
/// ```
/// let bytes = classfile::shim::write("a/Off", "a/Service", &[("count", "(J)I")], None)?;
/// assert_eq!(classfile::ClassFile::parse(&bytes)?.this_name(), b"a/Off");
/// # Ok::<(), classfile::Error>(())
/// ```
pub fn write(name: &str, interface: &str, methods: &[(&str, &str)], message: Option<&str>) -> Result<Vec<u8>, Error> {
    let mut pool = Pool::default();
    let (this, object, service) = (pool.class(name), pool.class(OBJECT), pool.class(interface));
    let mut constructor = vec![0x2A, 0xB7]; // aload_0, invokespecial
    put2(&mut constructor, pool.method(OBJECT, "<init>", "()V"));
    constructor.push(0xB1); // return
    let mut body = Vec::new();
    add(&mut body, &mut pool, ("<init>", "()V"), 1, &constructor);
    for &(name, descriptor) in methods {
        let parsed = descriptor::method(descriptor)?;
        let locals = u16::try_from(parsed.parameter_slots() + 1).unwrap_or(u16::MAX);
        let code = match message {
            Some(text) => failing(&mut pool, text),
            None => returning(parsed.result.map(|result| result.kind)),
        };
        add(&mut body, &mut pool, (name, descriptor), locals, &code);
    }
    check("constant pool", pool.count)?;
    check("methods", methods.len() + 1)?;
    let mut out = Vec::with_capacity(pool.bytes.len() + body.len() + 32);
    put4(&mut out, 0xCAFE_BABE);
    put2(&mut out, 0);
    put2(&mut out, VERSION);
    put2(&mut out, pool.count as u16 + 1);
    out.extend_from_slice(&pool.bytes);
    for value in [access::PUBLIC | access::FINAL | access::SYNTHETIC | SUPER, this, object, 1, service, 0] {
        put2(&mut out, value);
    }
    put2(&mut out, methods.len() as u16 + 1);
    out.extend_from_slice(&body);
    put2(&mut out, 0);
    Ok(out)
}

fn check(what: &'static str, got: usize) -> Result<(), Error> {
    if got < LIMIT { Ok(()) } else { Err(Error::TooLarge { what, limit: LIMIT, got }) }
}

/// Returns the default of a type.
fn returning(result: Option<Kind>) -> Vec<u8> {
    match result {
        None => vec![0xB1],
        Some(Kind::Reference) => vec![0x01, 0xB0],
        Some(Kind::Long) => vec![0x09, 0xAD],
        Some(Kind::Float) => vec![0x0B, 0xAE],
        Some(Kind::Double) => vec![0x0E, 0xAF],
        Some(Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short | Kind::Int) => vec![0x03, 0xAC],
    }
}

fn failing(pool: &mut Pool, message: &str) -> Vec<u8> {
    let mut code = vec![0xBB]; // new
    put2(&mut code, pool.class(FAILURE));
    code.extend([0x59, 0x13]); // dup, ldc_w
    put2(&mut code, pool.string(message));
    code.push(0xB7); // invokespecial
    put2(&mut code, pool.method(FAILURE, "<init>", "(Ljava/lang/String;)V"));
    code.push(0xBF); // athrow
    code
}

fn add(out: &mut Vec<u8>, pool: &mut Pool, (name, descriptor): (&str, &str), locals: u16, code: &[u8]) {
    for value in [access::PUBLIC, pool.utf8(name), pool.utf8(descriptor), 1, pool.utf8("Code")] {
        put2(out, value);
    }
    put4(out, code.len() as u32 + 12);
    // The exception and its message, or a long.
    put2(out, 3);
    put2(out, locals);
    put4(out, code.len() as u32);
    out.extend_from_slice(code);
    put4(out, 0);
}

/// Constants in the order in which they are asked for, each once.
#[derive(Default)]
struct Pool {
    bytes: Vec<u8>,
    count: usize,
    known: HashMap<Vec<u8>, u16>,
}

impl Pool {
    fn add(&mut self, constant: Vec<u8>) -> u16 {
        if let Some(&index) = self.known.get(&constant) {
            return index;
        }
        self.count += 1;
        self.bytes.extend_from_slice(&constant);
        // Beyond the limit the whole class is refused.
        let index = self.count as u16;
        self.known.insert(constant, index);
        index
    }

    fn utf8(&mut self, text: &str) -> u16 {
        let text = mutf8::encode(text);
        let text = &text[..text.len().min(LIMIT)];
        let mut constant = vec![1];
        put2(&mut constant, text.len() as u16);
        constant.extend_from_slice(text);
        self.add(constant)
    }

    fn pair(&mut self, tag: u8, indexes: &[u16]) -> u16 {
        let mut constant = vec![tag];
        for &index in indexes {
            put2(&mut constant, index);
        }
        self.add(constant)
    }

    fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.pair(7, &[name])
    }

    fn string(&mut self, text: &str) -> u16 {
        let text = self.utf8(text);
        self.pair(8, &[text])
    }

    fn method(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        let (class, name, descriptor) = (self.class(class), self.utf8(name), self.utf8(descriptor));
        let name = self.pair(12, &[name, descriptor]);
        self.pair(10, &[class, name])
    }
}
