//! Adds methods that call others and let nothing out.

use super::Shield;
use crate::bytes::{get2, put2, put4};
use crate::code::bootstrap::Bootstraps;
use crate::code::emit::Emitter;
use crate::code::opcode::{
    CHECKCAST, GOTO, IFEQ, IFNULL, INVOKEDYNAMIC, INVOKESTATIC, LCONST_0, POP, POP2, PUTFIELD, RETURN,
};
use crate::code::pool::PoolEditor;
use crate::descriptor::{self, Kind, MethodType};
use crate::reader::ClassFile;
use crate::{Error, access};

const BOOTSTRAP: &str = "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)\
                         Ljava/lang/invoke/CallSite;";
const OBJECT: &str = "java/lang/Object";
const THROWABLE: &str = "java/lang/Throwable";
/// `ACC_SYNTHETIC`
const SYNTHETIC: u16 = 0x1000;
/// The tag of a frame that holds everything.
const FULL_FRAME: u8 = 255;
/// First class-file version with `invokedynamic`.
const DYNAMIC_SINCE: u16 = 51;

/// The class with those methods added.
pub(super) fn add(class: &[u8], shields: &[Shield]) -> Result<Vec<u8>, Error> {
    let class = ClassFile::parse(class)?;
    let mut pool = PoolEditor::new(&class);
    let mut bootstraps = Bootstraps::new(&class)?;
    let mut methods = Vec::new();
    for shield in shields {
        write(&class, shield, &mut pool, &mut bootstraps, &mut methods)?;
    }
    let (bytes, layout) = (class.bytes(), class.layout());
    let (held, limit) = (usize::from(get2(bytes, layout.methods)), usize::from(u16::MAX));
    let count = u16::try_from(held + shields.len()).map_err(|_| Error::TooLarge {
        what: "method count",
        limit,
        got: held + shields.len(),
    })?;
    let mut body = bytes[layout.access..layout.methods].to_vec();
    put2(&mut body, count);
    body.extend_from_slice(&bytes[layout.methods + 2..layout.attributes]);
    body.extend_from_slice(&methods);
    bootstraps.finish(&class, layout.attributes, &mut body, &mut pool)?;
    let mut out = Vec::with_capacity(bytes.len() + pool.extra_len() + methods.len());
    pool.write_head(&class, &mut out);
    out.extend_from_slice(&body);
    Ok(out)
}

fn write(
    class: &ClassFile<'_>,
    shield: &Shield,
    pool: &mut PoolEditor,
    bootstraps: &mut Bootstraps,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let shape = descriptor::method(&shield.descriptor)?;
    let locals = shape.parameter_locals(true);
    let entry = fit("parameter slots", shape.parameter_slots())?;
    let mut code = Emitter::default();
    let mut to_end = Vec::new();
    let dynamic = class.major() >= DYNAMIC_SINCE;
    if dynamic {
        let handle = pool.static_handle(&shield.runtime, "live", BOOTSTRAP)?;
        let site = pool.invoke_dynamic(
            bootstraps.add(handle, Vec::new())?,
            &shield.probe.to_string(),
            "()Ljava/lang/Object;",
        )?;
        code.op2(INVOKEDYNAMIC, site, 0, 1);
        code.code.extend([0, 0]);
    } else {
        code.int(shield.probe, pool)?;
        let live = pool.method(&shield.runtime, "isLive", "(I)Z")?;
        code.op2(INVOKESTATIC, live, 1, 1);
    }
    to_end.push(jump(&mut code, if dynamic { IFNULL } else { IFEQ }));
    let running = pool.class(&shield.running)?;
    if shield.guarded {
        code.int(shield.probe, pool)?;
        let enter = pool.method(&shield.runtime, "enter", &format!("(I)L{};", shield.running))?;
        code.op2(INVOKESTATIC, enter, 1, 1);
        code.store(Kind::Reference, entry);
        code.load(Kind::Reference, entry);
        to_end.push(jump(&mut code, IFNULL));
    }
    let start = code.code.len();
    for (parameter, &slot) in shape.parameters.iter().zip(&locals) {
        code.load(parameter.kind, slot);
        let name = parameter.class_name().unwrap_or(parameter.descriptor);
        if parameter.kind == Kind::Reference && name != OBJECT {
            let wanted = pool.class(name)?;
            code.op2(CHECKCAST, wanted, 1, 1);
        }
    }
    let own = String::from_utf8_lossy(class.this_name()).into_owned();
    let handler = pool.method(&own, &shield.method, &shield.descriptor)?;
    code.op2(INVOKESTATIC, handler, shape.parameter_slots(), 0);
    match shape.result.map(|result| result.kind.slots()) {
        Some(2) => code.op(POP2, 0, 0),
        Some(_) => code.op(POP, 0, 0),
        None => {}
    }
    let end = code.code.len();
    let mut to_done = vec![jump(&mut code, GOTO)];
    let caught = code.code.len();
    code.int(shield.probe, pool)?;
    code.int(shield.number, pool)?;
    let failed = pool.method(&shield.runtime, "failed", "(Ljava/lang/Throwable;II)V")?;
    code.op2(INVOKESTATIC, failed, 2, 0);
    to_done.push(jump(&mut code, GOTO));
    let dropped = code.code.len();
    code.op(POP, 0, 0);
    let done = code.code.len();
    for from in to_done {
        land(&mut code, from, done);
    }
    if shield.guarded {
        code.load(Kind::Reference, entry);
        code.op(LCONST_0, 0, 2);
        let state = pool.field(&shield.running, "state", "J")?;
        code.op2(PUTFIELD, state, 3, 0);
    }
    to_end.push(jump(&mut code, GOTO));
    let outside = code.code.len();
    code.op(POP, 0, 0);
    let last = code.code.len();
    for from in to_end {
        land(&mut code, from, last);
    }
    code.op(RETURN, 0, 0);

    let throwable = pool.class(THROWABLE)?;
    let guard = shield.guarded.then_some(running);
    let mut frames = Frames { shape: &shape, object: pool.class(OBJECT)?, table: Vec::new(), last: None, count: 0 };
    frames.add(caught, guard, Some(throwable));
    frames.add(dropped, guard, Some(throwable));
    frames.add(done, guard, None);
    frames.add(outside, None, Some(throwable));
    frames.add(last, None, None);
    let mut attribute = Vec::new();
    // What was thrown lies below the two numbers.
    put2(&mut attribute, fit("stack slots", code.max_depth.max(3))?);
    put2(&mut attribute, entry + u16::from(shield.guarded));
    put4(&mut attribute, code.code.len() as u32);
    attribute.extend_from_slice(&code.code);
    put2(&mut attribute, 3);
    for (from, to, target) in [(0, start, outside), (start, end, caught), (caught, dropped, dropped)] {
        for place in [from, to, target] {
            put2(&mut attribute, place as u16);
        }
        put2(&mut attribute, throwable);
    }
    put2(&mut attribute, 1);
    put2(&mut attribute, pool.utf8("StackMapTable")?);
    put4(&mut attribute, frames.table.len() as u32 + 2);
    put2(&mut attribute, frames.count);
    attribute.extend_from_slice(&frames.table);

    let mut erased = String::from("(");
    erased.extend(shape.parameters.iter().map(|parameter| parameter.kind.erased()));
    erased.push_str(")V");
    put2(out, access::PUBLIC | access::STATIC | SYNTHETIC);
    put2(out, pool.utf8(&shield.name)?);
    put2(out, pool.utf8(&erased)?);
    put2(out, 1);
    put2(out, pool.utf8("Code")?);
    put4(out, attribute.len() as u32);
    out.extend_from_slice(&attribute);
    Ok(())
}

/// Emits a jump whose target is not known yet; returns where it lies.
fn jump(code: &mut Emitter, opcode: u8) -> usize {
    let at = code.code.len();
    code.op2(opcode, 0, usize::from(opcode != GOTO), 0);
    at
}

/// Lets the jump at `from` go to `to`. The code of a shield is far shorter than a jump reaches.
fn land(code: &mut Emitter, from: usize, to: usize) {
    code.code[from + 1..from + 3].copy_from_slice(&((to - from) as u16).to_be_bytes());
}

fn fit(what: &'static str, got: usize) -> Result<u16, Error> {
    u16::try_from(got).map_err(|_| Error::TooLarge { what, limit: usize::from(u16::MAX), got })
}

/// The frames of a shield, each with everything.
struct Frames<'s> {
    shape: &'s MethodType<'s>,
    /// Constant of `Object`.
    object: u16,
    table: Vec<u8>,
    last: Option<usize>,
    count: u16,
}

impl Frames<'_> {
    /// A frame at that offset: the parameters, the classes of what the guard gave and of what was thrown.
    fn add(&mut self, at: usize, guard: Option<u16>, thrown: Option<u16>) {
        let delta = self.last.map_or(at, |last| at - last - 1);
        self.last = Some(at);
        self.count += 1;
        self.table.push(FULL_FRAME);
        put2(&mut self.table, delta as u16);
        put2(&mut self.table, self.shape.parameters.len() as u16 + u16::from(guard.is_some()));
        for parameter in &self.shape.parameters {
            match parameter.kind {
                Kind::Float => self.table.push(2),
                Kind::Double => self.table.push(3),
                Kind::Long => self.table.push(4),
                Kind::Reference => self.reference(self.object),
                _ => self.table.push(1),
            }
        }
        if let Some(guard) = guard {
            self.reference(guard);
        }
        put2(&mut self.table, u16::from(thrown.is_some()));
        if let Some(thrown) = thrown {
            self.reference(thrown);
        }
    }

    fn reference(&mut self, class: u16) {
        self.table.push(7);
        put2(&mut self.table, class);
    }
}
