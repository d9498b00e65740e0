//! What the manifest of an extension says of its packages.

use super::contents::Contents;
use crate::guard::guarded;
use crate::state::Core;
use jvm::sys::{JObject, JniEnv};
use jvm::{Jni, Object};
use manifests::manifest::Manifest;
use std::ptr::null_mut;

/// Attributes in the order that `ClassLoader.definePackage` takes them.
const NAMES: [&str; 7] = [
    "Specification-Title",
    "Specification-Version",
    "Specification-Vendor",
    "Implementation-Title",
    "Implementation-Version",
    "Implementation-Vendor",
    "Sealed",
];

/// The values for a package: those of its own section, and where that says nothing those of the main attributes, as the JDK has
/// it for any jar.
fn of_package<'m>(manifest: &'m Manifest, package: &str) -> [Option<&'m str>; NAMES.len()] {
    let own = manifest.section(&format!("{}/", package.replace('.', "/")));
    NAMES.map(|name| own.and_then(|own| own.get(name)).or_else(|| manifest.main.get(name)))
}

/// The manifest; an empty one, told once, where it cannot be read.
fn manifest(core: &Core, contents: &Contents) -> Manifest {
    const NAME: &str = "META-INF/MANIFEST.MF";
    let problem = match contents.resource(&core.jar, NAME) {
        Ok(None) => return Manifest::default(),
        Ok(Some(bytes)) => match Manifest::parse(&bytes) {
            Ok(manifest) => return manifest,
            Err(e) => e.to_string(),
        },
        Err(e) => e.to_string(),
    };
    core.report_once(format!(
        "packages of {} have no versions and are not sealed, as its {NAME} cannot be read: {problem}; hint: build the extension again",
        contents.location().display()
    ));
    Manifest::default()
}

/// `NativeCore.extensionPackage`.
pub(super) unsafe extern "system" fn package(env: JniEnv, _class: JObject, id: JObject, name: JObject) -> JObject {
    guarded("NativeCore.extensionPackage", null_mut(), || {
        // SAFETY: environment and references that the JVM passes for the length of this call.
        let (jni, id, name) = unsafe { (Jni::from_raw(env), Object::from_raw(id), Object::from_raw(name)) };
        let Some(core) = Core::get() else { return null_mut() };
        let Ok(contents) = core.linking.contents(core, &jni.text(id)) else { return null_mut() };
        let manifest = manifest(core, &contents);
        let values = of_package(&manifest, &jni.text(name));
        let texts = values.map(|value| value.map(|value| format!("={value}")).unwrap_or_default());
        jni.strings(&texts).map_or(null_mut(), Object::raw)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_completed_by_the_main_attributes() {
        let text =
            b"Manifest-Version: 1.0\r\nImplementation-Title: main\r\nImplementation-Version: 1\r\nSealed: true\r\n\r\n\
                     Name: a/b/\r\nImplementation-Version: 2\r\nsealed: false\r\nSpecification-Vendor: us\r\n\r\n";
        let manifest = Manifest::parse(text).expect("a manifest");
        let own = of_package(&manifest, "a.b");
        assert_eq!(own, [None, None, Some("us"), Some("main"), Some("2"), None, Some("false")]);
        let other = of_package(&manifest, "a");
        assert_eq!(other, [None, None, None, Some("main"), Some("1"), None, Some("true")]);
    }
}
