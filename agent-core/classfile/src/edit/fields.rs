//! Turns reads of static fields into dynamic calls.

use super::DynamicRead;
use crate::bytes::{get2, put4};
use crate::code::body::{Body, check_attributes};
use crate::code::bootstrap::Bootstraps;
use crate::code::frames::Adjust;
use crate::code::layout::{Insertion, Layout};
use crate::code::opcode::{self, GETSTATIC, INVOKEDYNAMIC};
use crate::code::pool::PoolEditor;
use crate::code::scan::Scan;
use crate::code::{Code, Failure};
use crate::reader::{Attribute, ClassFile, Member, tag};
use crate::{Error, descriptor, mutf8};
use std::collections::BTreeMap;

/// First class-file version with `invokedynamic`.
const DYNAMIC_SINCE: u16 = 51;

/// The class with every read of those fields replaced.
pub(super) fn make_dynamic(class: &[u8], fields: &BTreeMap<String, DynamicRead>) -> Result<Vec<u8>, Error> {
    let class = ClassFile::parse(class)?;
    if class.major() < DYNAMIC_SINCE {
        return Err(Error::Version { expected: DYNAMIC_SINCE, got: class.major() });
    }
    let mut pool = PoolEditor::new(&class);
    let mut bootstraps = Bootstraps::new(&class)?;
    let sites = sites(&class, fields, &mut pool, &mut bootstraps)?;
    let bytes = class.bytes();
    let mut body = Vec::new();
    // Everything before this offset is in `body`.
    let mut copied = class.layout().access;
    for method in class.methods() {
        let Some(code) = method.attribute("Code") else { continue };
        let new = match rewrite(&class, &method, code, &sites, &mut pool) {
            Ok(Some(new)) => new,
            Ok(None) => continue,
            Err(Failure::Class(error)) => return Err(error),
            Err(Failure::Method(source)) => {
                let name = String::from_utf8_lossy(method.name);
                let method = format!("{name}{}", String::from_utf8_lossy(method.descriptor));
                return Err(Error::Method { method, source });
            }
        };
        body.extend_from_slice(&bytes[copied..code.offset - 4]);
        put4(&mut body, new.len() as u32);
        body.extend_from_slice(&new);
        copied = code.offset + code.data.len();
    }
    bootstraps.finish(&class, copied, &mut body, &mut pool)?;
    let mut out = Vec::with_capacity(bytes.len() + pool.extra_len());
    pool.write_head(&class, &mut out);
    out.extend_from_slice(&body);
    Ok(out)
}

/// The call that stands for each field reference, by the reference's index.
fn sites(
    class: &ClassFile<'_>,
    fields: &BTreeMap<String, DynamicRead>,
    pool: &mut PoolEditor,
    bootstraps: &mut Bootstraps,
) -> Result<BTreeMap<u16, [u8; 5]>, Error> {
    let mut sites = BTreeMap::new();
    for index in 1..class.pool().len() {
        if class.pool().tag(index) != Some(tag::FIELD) {
            continue;
        }
        let field = class.pool().member_ref(index)?;
        let read = mutf8::as_str(field.name).and_then(|name| fields.get(name));
        let (Some(read), true) = (read, field.class == class.this_name()) else { continue };
        let handle = pool.static_handle(&read.class, &read.method, &read.descriptor)?;
        let arguments = read.arguments.iter().map(|text| pool.string(text)).collect::<Result<Vec<_>, _>>()?;
        let bootstrap = bootstraps.add(handle, arguments)?;
        let result = format!("(){}", mutf8::decode(field.descriptor)?);
        let [high, low] = pool.invoke_dynamic(bootstrap, &read.name, &result)?.to_be_bytes();
        sites.insert(index, [INVOKEDYNAMIC, high, low, 0, 0]);
    }
    Ok(sites)
}

/// The method's new code; `None` if it reads none of the fields.
fn rewrite(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    attribute: Attribute<'_>,
    sites: &BTreeMap<u16, [u8; 5]>,
    pool: &mut PoolEditor,
) -> Result<Option<Vec<u8>>, Failure> {
    let code = Code::parse(class.pool(), attribute)?;
    let scan = Scan::new(code.bytes, code.max_locals)?;
    let mut insertions = Vec::new();
    let mut at = 0;
    while at < code.bytes.len() {
        if code.bytes[at] == GETSTATIC
            && let Some(call) = sites.get(&get2(code.bytes, at + 1))
        {
            insertions.push(Insertion { at, falling: &[], always: &[], instead: Some(call) });
        }
        at += opcode::length(code.bytes, at)?;
    }
    if insertions.is_empty() {
        return Ok(None);
    }
    check_attributes(&code)?;
    let layout = Layout::new(code.bytes, &scan, &insertions, &[])?;
    let text = mutf8::decode(method.descriptor)?;
    let adjust = Adjust::none(class, method, &descriptor::method(&text)?, code.max_locals);
    let body = Body {
        code: &code,
        scan: &scan,
        layout: &layout,
        adjust: (!layout.steps.is_empty()).then_some(&adjust),
        major: class.major(),
        max_stack: code.max_stack,
        max_locals: code.max_locals,
        caught: &[],
        apart: &[],
    };
    let mut out = Vec::with_capacity(attribute.data.len() + 64);
    body.write(class.pool(), pool, &mut out)?;
    Ok(Some(out))
}
