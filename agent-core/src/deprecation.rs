//! The line about old versions of Java.

use crate::log;
use jvm::Jvmti;

/// Says once that this version of Java is on its way out, unless that was silenced.
pub(crate) fn report(jvmti: Jvmti) {
    let silenced =
        || jvmti.system_property(c"btrace.agent.suppressDeprecation").is_some_and(|v| v.eq_ignore_ascii_case("true"));
    match jvmti.system_property(c"java.vm.specification.version").as_deref().and_then(feature) {
        Some(feature) if feature < 17 && !silenced() => log::line(&format!(
            "Java {feature} is deprecated and will stop being supported in the next major version; hint: run on Java 17 \
             or newer, or silence this with -Dbtrace.agent.suppressDeprecation=true"
        )),
        _ => {}
    }
}

/// The feature number of a specification version, `1.8` or `17`.
fn feature(version: &str) -> Option<u32> {
    version.strip_prefix("1.").unwrap_or(version).split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::feature;

    #[test]
    fn old_and_new_versions_are_read() {
        assert_eq!(["1.8", "11", "25", "x"].map(feature), [Some(8), Some(11), Some(25), None]);
    }
}
