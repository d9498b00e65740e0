//! Names of attributes. Any comparison of names ignores case.

/// Version of the manifest format; always the first line.
pub const MANIFEST_VERSION: &str = "Manifest-Version";
/// First attribute of a section: the entry that it is about.
pub const NAME: &str = "Name";
/// Class that the JVM calls for `-javaagent`.
pub const PREMAIN_CLASS: &str = "Premain-Class";
/// Class that the JVM calls on attach.
pub const AGENT_CLASS: &str = "Agent-Class";
/// Class that the JVM calls for an agent inside an executable jar. We never write it.
pub const LAUNCHER_AGENT_CLASS: &str = "Launcher-Agent-Class";
/// Class that `java -jar` runs.
pub const MAIN_CLASS: &str = "Main-Class";
/// Whether the agent redefines classes.
pub const CAN_REDEFINE_CLASSES: &str = "Can-Redefine-Classes";
/// Whether the agent retransforms classes.
pub const CAN_RETRANSFORM_CLASSES: &str = "Can-Retransform-Classes";
/// Whether the agent prefixes native methods.
pub const CAN_SET_NATIVE_METHOD_PREFIX: &str = "Can-Set-Native-Method-Prefix";
/// Jars that the JVM adds to the bootstrap search.
pub const BOOT_CLASS_PATH: &str = "Boot-Class-Path";
/// Jars that the JVM adds to the class path.
pub const CLASS_PATH: &str = "Class-Path";
/// Whether `META-INF/versions` counts.
pub const MULTI_RELEASE: &str = "Multi-Release";
/// Modules of an executable jar that may load native code without a warning.
pub const ENABLE_NATIVE_ACCESS: &str = "Enable-Native-Access";
/// Title of the product.
pub const IMPLEMENTATION_TITLE: &str = "Implementation-Title";
/// Version of the product.
pub const IMPLEMENTATION_VERSION: &str = "Implementation-Version";

/// Class in the agent section that the Loader starts as agent.
pub const BTRACE_AGENT_MAIN: &str = "BTrace-Agent-Main";
/// Class in the client section that the Loader starts as client.
pub const BTRACE_CLIENT_MAIN: &str = "BTrace-Client-Main";
/// Ordinary agent class that the Loader calls on attach, where it is another than `BTrace-Agent-Main`.
pub const BTRACE_ATTACH_MAIN: &str = "BTrace-Attach-Main";
/// Parent of the agent section's loader: `bootstrap`, `platform` or `system`. Its presence says that the agent main is an
/// ordinary one, with `premain` and `agentmain`.
pub const BTRACE_AGENT_PARENT: &str = "BTrace-Agent-Parent";
/// Comma-separated ids of the embedded extensions.
pub const BTRACE_EMBEDDED_EXTENSIONS: &str = "BTrace-Embedded-Extensions";
/// Comma-separated `target=sha256` of the native cores.
pub const BTRACE_NATIVE_SHA256: &str = "BTrace-Native-SHA256";
/// Identity of the jar, a hash of what it holds.
pub const BTRACE_BUILD_ID: &str = "BTrace-Build-Id";
/// Blank-separated jars for the bootstrap search.
pub const BTRACE_BOOT_LIBS: &str = "BTrace-Boot-Libs";
/// Blank-separated jars for the system search.
pub const BTRACE_SYSTEM_LIBS: &str = "BTrace-System-Libs";
/// Folder of relative library entries.
pub const BTRACE_LIBS_ROOT: &str = "BTrace-Libs-Root";
/// Subfolder with `boot` and `system` jars.
pub const BTRACE_LIBS_PROFILE: &str = "BTrace-Libs-Profile";

/// Id of an extension; marks an extension's API jar.
pub const BTRACE_EXTENSION_ID: &str = "BTrace-Extension-Id";
/// Version of an extension.
pub const BTRACE_EXTENSION_VERSION: &str = "BTrace-Extension-Version";
/// Display name of an extension.
pub const BTRACE_EXTENSION_NAME: &str = "BTrace-Extension-Name";
/// Description of an extension.
pub const BTRACE_EXTENSION_DESCRIPTION: &str = "BTrace-Extension-Description";
/// Comma-separated service interfaces.
pub const BTRACE_EXTENSION_SERVICES: &str = "BTrace-Extension-Services";
/// Comma-separated ids of required extensions.
pub const BTRACE_EXTENSION_REQUIRES: &str = "BTrace-Extension-Requires";
/// Comma-separated permissions; absent is not the same as empty.
pub const BTRACE_EXTENSION_PERMISSIONS: &str = "BTrace-Extension-Permissions";
/// Comma-separated API classes beyond the services.
pub const BTRACE_EXTENSION_EXPORTS: &str = "BTrace-Extension-Exports";
/// Class that selects probes at start-up.
pub const BTRACE_EXTENSION_CONFIGURATOR: &str = "BTrace-Extension-Configurator";
/// Comma-separated bundled probe classes.
pub const BTRACE_EXTENSION_PROBES: &str = "BTrace-Extension-Probes";
/// File name of the implementation jar.
pub const BTRACE_EXTENSION_IMPL: &str = "BTrace-Extension-Impl";
/// Agent API that an extension needs, such as `3.0+`.
pub const BTRACE_API_VERSION: &str = "BTrace-API-Version";
/// Java that an extension needs, such as `8+`.
pub const BTRACE_JAVA_VERSION: &str = "BTrace-Java-Version";
/// Comma-separated `original->shaded` packages.
pub const BTRACE_SHADED_PACKAGES: &str = "BTrace-Shaded-Packages";
