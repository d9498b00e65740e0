//! Names of entries and attributes that the layout of a fat agent fixes.

use std::path::{Path, PathBuf};

/// The package of the shim, as a manifest section names it. Its version is the build id: the one thing that the JVM tells
/// about the jar that a boot class came from.
pub(crate) const BOOT_PACKAGE: &str = "io/btrace/boot/";

/// The first entry of every jar.
pub(crate) const META_INF: &str = "META-INF/";
/// The second entry of every jar.
pub(crate) const MANIFEST: &str = "META-INF/MANIFEST.MF";
/// Folder entry that marks a masked jar.
pub(crate) const SHARED: &str = "META-INF/btrace/shared/";
/// Everything of the masked sections lies below it.
pub(crate) const SECTIONS: &str = "META-INF/btrace/";
/// The masked sections, whose classes lie under `META-INF/btrace/<section>/`.
pub(crate) const SECTION_NAMES: [&str; 3] = ["agent", "client", "shared"];
/// Native cores, as `<target>/libagent_core.so`.
pub(crate) const NATIVE: &str = "META-INF/btrace/native/";
/// File name of a native core below its target's folder.
pub(crate) const CORE_FILE: &str = "libagent_core.so";
/// Default agent arguments.
pub(crate) const AGENT_PROPERTIES: &str = "META-INF/btrace/agent.properties";
/// Default settings of extensions.
pub(crate) const EXTENSIONS_CONF: &str = "META-INF/btrace/extensions.conf";
/// The policy.
pub(crate) const PERMISSIONS_PROPERTIES: &str = "META-INF/btrace/permissions.properties";
/// Embedded extensions, as `<id>/…`.
pub(crate) const EXTENSIONS: &str = "META-INF/btrace-extensions/";
/// Metadata below an extension's folder.
pub(crate) const EXTENSION_PROPERTIES: &str = "extension.properties";
/// Class index below an extension's folder.
pub(crate) const CLASSES_INDEX: &str = "classes.index";
/// Embedded probe classes.
pub(crate) const PROBES: &str = "META-INF/btrace-probes/";
/// Suffix of a class that no ordinary loader sees.
pub(crate) const MASKED_SUFFIX: &str = ".classdata";
/// Suffix of a class.
pub(crate) const CLASS_SUFFIX: &str = ".class";
/// The entry class.
pub(crate) const LOADER_CLASS: &str = "io/btrace/boot/Loader.class";
/// The one class that is defined into `java.lang` through JNI and by no loader.
pub(crate) const LINKER: &str = "META-INF/btrace/agent/java/lang/FatAgentLinker.classdata";

/// The bootstrap classes without which an agent does not start or a probe does not link.
pub(crate) const REQUIRED_BOOTSTRAP: [&str; 8] = [
    LOADER_CLASS,
    "io/btrace/boot/MaskedClassLoader.class",
    "io/btrace/boot/MaskedJarUtils.class",
    "io/btrace/boot/NativeLoader.class",
    "io/btrace/boot/NativeLoader24.class",
    "io/btrace/core/annotations/BTrace.class",
    "io/btrace/extension/ExtensionBridge.class",
    "io/btrace/runtime/IndyDispatcher.class",
];

/// The list of a jar's packages, which no longer holds once a jar was rebuilt.
pub(crate) const JAR_INDEX: &str = "META-INF/INDEX.LIST";

/// Whether `path` is a signature file, which no longer holds once a jar was rebuilt.
pub(crate) fn is_signature(path: &str) -> bool {
    let Some(name) = path.strip_prefix(META_INF) else { return false };
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let starts = name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("SIG-"));
    let ends = ["SF", "RSA", "DSA", "EC"].iter().any(|known| extension.eq_ignore_ascii_case(known));
    !name.contains('/') && (starts || ends)
}

/// The folder of a file; empty for the current one.
pub(crate) fn parent(file: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).to_owned()
}

/// An absolute path as those see it who work in the current folder: what is elsewhere stays absolute.
pub(crate) fn relative_to_current(path: &Path) -> &Path {
    let current = std::env::current_dir().ok();
    current.and_then(|current| path.strip_prefix(current).ok()).unwrap_or(path)
}

/// A folder by a path that means something: `.` for the empty one.
pub(crate) fn or_current(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_files_lie_directly_below_meta_inf() {
        for path in
            ["META-INF/A.SF", "META-INF/b.rsa", "META-INF/x.EC", "META-INF/K.DSA", "META-INF/SIG-X", "META-INF/sig-a.b"]
        {
            assert!(is_signature(path), "{path}");
        }
        for path in [
            "META-INF/sub/A.SF",
            "a/META-INF/A.SF",
            "META-INF/A.TXT",
            "META-INF/SF",
            "META-INF/SIG",
            "META-INF/SIGN",
            "META-INF/a/SIG-X",
        ] {
            assert!(!is_signature(path), "{path}");
        }
    }
}
