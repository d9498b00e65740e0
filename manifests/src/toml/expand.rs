//! `${agent.version}` or `${extension.version}`, and `${env:NAME}`.

use super::reader::Context;
use crate::{Error, Location};

/// Expands a string that stands at `at`. `$${` becomes `${`; a `$` before anything else is itself.
pub(super) fn expand(context: &Context<'_>, text: &str, at: &Location) -> Result<String, Error> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        out.push_str(&rest[..dollar]);
        rest = &rest[dollar..];
        if let Some(after) = rest.strip_prefix("$${") {
            out.push_str("${");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("${") {
            let unknown =
                |expression: &str| Error::Expression { at: at.clone().into(), expression: expression.to_owned() };
            let (expression, after) = after.split_once('}').ok_or_else(|| unknown(rest))?;
            match (expression, expression.strip_prefix("env:"), context.version()) {
                (name, _, Some(version)) if name == context.version_name() => out.push_str(version),
                (_, Some(name), _) if !name.is_empty() => match (context.environment)(name) {
                    Some(value) => out.push_str(&value),
                    None => return Err(Error::UnsetVariable { at: at.clone().into(), name: name.to_owned() }),
                },
                _ => return Err(unknown(&rest[..rest.len() - after.len()])),
            }
            rest = after;
        } else {
            out.push('$');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    Ok(out)
}
