//! The process and its machine.

use manifests::permission::Permission::{
    self, Exec, FileRead, JfrEvents, MemoryInfo, Messaging, Native, SystemProps, ThreadInfo, UnlimitedMemory,
};

use super::Rule;

const PROPS: &[Permission] = &[SystemProps];
const EXEC: &[Permission] = &[Exec];
const NATIVE: &[Permission] = &[Native];
const MEMORY: &[Permission] = &[MemoryInfo];
const BOTH: &[Permission] = &[ThreadInfo, MemoryInfo];

pub(super) const RULES: &[Rule] = &[
    Rule::of(
        "java/lang/System",
        &["getProperty", "getProperties", "setProperty", "setProperties", "clearProperty", "getenv"],
        PROPS,
        "reads or changes settings of the process",
    ),
    Rule::of("java/lang/System", &["load", "loadLibrary"], NATIVE, "loads native code"),
    Rule::of("java/lang/Boolean", &["getBoolean"], PROPS, "reads a system property"),
    Rule::of("java/lang/Integer", &["getInteger"], PROPS, "reads a system property"),
    Rule::of("java/lang/Long", &["getLong"], PROPS, "reads a system property"),
    Rule::of("java/lang/Runtime", &["exec"], EXEC, "starts a process"),
    Rule::of("java/lang/Runtime", &["load", "loadLibrary"], NATIVE, "loads native code"),
    Rule::of("java/lang/Runtime", &["freeMemory", "maxMemory", "totalMemory"], MEMORY, "reads about memory"),
    Rule::all("java/lang/ProcessBuilder", EXEC, "starts a process"),
    Rule::harmless("java/lang/ProcessHandle", &["pid", "current", "compareTo"], "concerns a number"),
    Rule::of("java/lang/ProcessHandle", &["destroy", "destroyForcibly"], EXEC, "ends a process"),
    Rule::all("java/lang/ProcessHandle", PROPS, "reads about processes"),
    Rule::all("java/lang/ProcessHandle$Info", PROPS, "reads about processes"),
    Rule::all("java/lang/Process", EXEC, "controls a process"),
    Rule::of("java/awt/Desktop", &["open", "edit", "print", "browse", "mail"], EXEC, "starts a program"),
    Rule::all("java/lang/management/ManagementFactory", BOTH, "reads about threads and memory"),
    Rule::all("java/lang/management/ThreadMXBean", &[ThreadInfo], "reads about threads"),
    Rule::all("java/lang/management/ThreadInfo", &[ThreadInfo], "reads about threads"),
    Rule::all("java/lang/management/MemoryMXBean", MEMORY, "reads about memory"),
    Rule::all("java/lang/management/MemoryPoolMXBean", MEMORY, "reads about memory"),
    Rule::all("java/lang/management/MemoryUsage", MEMORY, "reads about memory"),
    Rule::all("java/lang/management/GarbageCollectorMXBean", MEMORY, "reads about memory"),
    Rule::all("java/lang/management/BufferPoolMXBean", MEMORY, "reads about memory"),
    Rule::all("java/lang/management/RuntimeMXBean", PROPS, "reads arguments and properties of the process"),
    Rule::all("com/sun/management/", MEMORY, "reads about memory"),
    Rule::all("jdk/management/", MEMORY, "reads about memory"),
    Rule::all("com/sun/tools/attach/", &[Exec, Native], "loads agents into other processes"),
    Rule::all("jdk/jfr/", &[JfrEvents], "writes events of the flight recorder"),
    Rule::all("jdk/jfr/consumer/", &[JfrEvents, FileRead], "reads recordings"),
    Rule::all("java/lang/foreign/", NATIVE, "reaches native memory and functions"),
    Rule::all("jdk/incubator/foreign/", NATIVE, "reaches native memory and functions"),
    Rule::of(
        "sun/misc/Unsafe",
        &["allocateMemory", "reallocateMemory"],
        &[Native, UnlimitedMemory],
        "takes memory that no limit of the JVM holds for",
    ),
    Rule::all("sun/misc/Unsafe", NATIVE, "reaches memory without checks"),
    Rule::of(
        "jdk/internal/misc/Unsafe",
        &["allocateMemory", "reallocateMemory"],
        &[Native, UnlimitedMemory],
        "takes memory that no limit of the JVM holds for",
    ),
    Rule::all("jdk/internal/misc/", NATIVE, "reaches memory without checks"),
    Rule::all("sun/misc/Signal", NATIVE, "changes how the process reacts to signals"),
    Rule::all("jdk/internal/foreign/", NATIVE, "reaches native memory and functions"),
    Rule::of("io/btrace/core/extensions/ExtensionContext", &["send"], &[Messaging], "sends messages to the client"),
];
