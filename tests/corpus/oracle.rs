//! Which permissions classes need by what `javap` prints of them: a second opinion that shares nothing with the scan.
//!
//! Its table is the floor, the rules by call owner that `BTrace` has and the uses that those miss, written down here a
//! second time. It knows no arguments, no inheritance and no names in texts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Classes that one JVM is given, and how long it may take on a busy machine.
const BATCH: usize = 400;
const LIMIT: Duration = Duration::from_mins(5);

/// One line of the floor: a class, or with `/` at its end all below a package; the members, all if there are none, by
/// their beginnings where one ends with `*`; what the descriptor begins with; and what they need.
struct Floor(&'static str, &'static [&'static str], &'static str, &'static [&'static str]);

/// Members of these are no use of what their package does.
const HARMLESS: &[(&str, &[&str])] = &[
    // Texts, and what is only thrown.
    ("java/net/URI", &[]),
    ("java/net/URLEncoder", &[]),
    ("java/net/URLDecoder", &[]),
    ("java/net/*Exception", &[]),
    ("javax/net/ssl/*Exception", &[]),
    // They concern the caller alone, or only read; the lines about them stand below.
    (
        "java/lang/Thread",
        &[
            "sleep",
            "yield",
            "onSpinWait",
            "interrupted",
            "currentThread",
            "get*",
            "is*",
            "threadId",
            "holdsLock",
            "dumpStack",
            "enumerate",
            "activeCount",
            "setContextClassLoader",
        ],
    ),
    // Descriptions of types, and arrays of a class that is there.
    ("java/lang/reflect/Array", &[]),
    ("java/lang/reflect/Modifier", &[]),
    ("java/lang/reflect/*Type", &[]),
    ("java/lang/reflect/TypeVariable", &[]),
    ("java/lang/reflect/GenericDeclaration", &[]),
    ("java/lang/reflect/AnnotatedElement", &[]),
    ("java/lang/reflect/InvocationHandler", &[]),
    ("java/lang/reflect/*Exception", &[]),
    ("java/lang/reflect/*Error", &[]),
];

/// Members of every object.
const OF_OBJECTS: [&str; 7] = ["toString", "hashCode", "equals", "getClass", "notify", "notifyAll", "wait"];

#[rustfmt::skip]
const FLOOR: &[Floor] = &[
    Floor("java/net/", &[], "", &["NETWORK"]),
    Floor("java/net/URI", &["toURL"], "", &["NETWORK"]),
    Floor("javax/net/", &[], "", &["NETWORK"]),
    Floor("java/nio/channels/SocketChannel", &[], "", &["NETWORK"]),
    Floor("java/nio/channels/ServerSocketChannel", &[], "", &["NETWORK"]),
    Floor("java/nio/channels/DatagramChannel", &[], "", &["NETWORK"]),
    Floor("java/nio/channels/AsynchronousSocketChannel", &[], "", &["NETWORK"]),
    Floor("java/nio/channels/AsynchronousServerSocketChannel", &[], "", &["NETWORK"]),
    Floor("java/io/FileOutputStream", &[], "", &["FILE_WRITE", "FILE_READ"]),
    Floor("java/io/FileWriter", &[], "", &["FILE_WRITE", "FILE_READ"]),
    Floor("java/io/PrintWriter", &["<init>"], "(Ljava/lang/String;", &["FILE_WRITE", "FILE_READ"]),
    Floor("java/io/PrintWriter", &["<init>"], "(Ljava/io/File;", &["FILE_WRITE", "FILE_READ"]),
    Floor("java/io/FileInputStream", &[], "", &["FILE_READ"]),
    Floor("java/io/FileReader", &[], "", &["FILE_READ"]),
    Floor("java/io/RandomAccessFile", &["write*", "setLength"], "", &["FILE_WRITE"]),
    Floor("java/io/RandomAccessFile", &[], "", &["FILE_READ"]),
    Floor("java/nio/file/Files", &["write*", "newOutputStream", "newBufferedWriter", "create*", "delete*", "move", "copy", "set*"], "", &["FILE_WRITE"]),
    Floor("java/nio/file/Files", &["read*", "lines", "list", "walk*", "find", "newInputStream", "newBufferedReader", "newDirectoryStream", "newByteChannel", "exists", "notExists", "is*", "size", "get*", "copy", "probe*"], "", &["FILE_READ"]),
    Floor("java/io/File", &["delete*", "renameTo", "mkdir", "mkdirs", "createNewFile", "createTempFile", "set*"], "", &["FILE_WRITE"]),
    Floor("java/nio/channels/FileChannel", &["open"], "", &["FILE_READ"]),
    Floor("java/nio/channels/AsynchronousFileChannel", &["open"], "", &["FILE_READ"]),
    Floor("java/util/logging/FileHandler", &[], "", &["FILE_WRITE"]),
    Floor("java/lang/Thread", &["currentThread", "getName", "getId", "getState", "getStackTrace", "getAllStackTraces", "holdsLock"], "", &["THREAD_INFO"]),
    Floor("java/lang/Thread", &["getContextClassLoader", "setContextClassLoader"], "", &["CLASSLOADER"]),
    Floor("java/lang/Thread", &[], "", &["THREADS"]),
    Floor("java/util/concurrent/Executor", &[], "", &["THREADS"]),
    Floor("java/util/concurrent/ExecutorService", &[], "", &["THREADS"]),
    Floor("java/util/concurrent/ScheduledExecutorService", &[], "", &["THREADS"]),
    Floor("java/util/concurrent/Executors", &[], "", &["THREADS"]),
    Floor("java/util/concurrent/ThreadPoolExecutor", &[], "", &["THREADS"]),
    Floor("java/util/concurrent/ScheduledThreadPoolExecutor", &[], "", &["THREADS"]),
    Floor("java/util/concurrent/ForkJoinPool", &[], "", &["THREADS"]),
    Floor("sun/misc/Unsafe", &[], "", &["NATIVE"]),
    Floor("jdk/internal/misc/Unsafe", &[], "", &["NATIVE"]),
    Floor("java/lang/foreign/", &[], "", &["NATIVE"]),
    Floor("java/lang/System", &["load", "loadLibrary"], "", &["NATIVE"]),
    Floor("java/lang/Runtime", &["load", "loadLibrary"], "", &["NATIVE"]),
    Floor("java/lang/Runtime", &["exec"], "", &["EXEC"]),
    Floor("java/lang/ProcessBuilder", &[], "", &["EXEC"]),
    Floor("java/lang/reflect/", &[], "", &["REFLECTION"]),
    Floor("java/lang/invoke/MethodHandles$Lookup", &["findVirtual", "findStatic", "findSpecial", "findConstructor", "findGetter", "findSetter", "findStatic*", "findVarHandle", "bind", "unreflect*"], "", &["REFLECTION"]),
    Floor("java/lang/invoke/MethodHandles", &["privateLookupIn"], "", &["REFLECTION"]),
    Floor("java/lang/ClassLoader", &[], "", &["CLASSLOADER"]),
    Floor("java/lang/Class", &["forName"], "", &["CLASSLOADER"]),
    Floor("java/lang/System", &["getProperty", "getProperties", "getenv"], "", &["SYSTEM_PROPS"]),
    Floor("java/lang/management/ManagementFactory", &[], "", &["THREAD_INFO", "MEMORY_INFO"]),
    Floor("com/sun/management/", &[], "", &["MEMORY_INFO"]),
    Floor("jdk/jfr/", &[], "", &["JFR_EVENTS"]),
];

/// Whether `text` is `pattern`, in which one `*` may stand for anything.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => text.len() >= start.len() + end.len() && text.starts_with(start) && text.ends_with(end),
        None => pattern == text,
    }
}

fn is_harmless(owner: &str, member: Option<&str>) -> bool {
    HARMLESS.iter().any(|(pattern, members)| {
        let named = |member: &str| members.iter().any(|pattern| matches(pattern, member));
        matches(pattern, owner) && (members.is_empty() || member.is_some_and(named))
    })
}

/// What the use of a member needs, or of a class as a whole.
fn needs(owner: &str, member: Option<(&str, &str)>) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    let about =
        FLOOR.iter().filter(
            |Floor(pattern, ..)| {
                if pattern.ends_with('/') { owner.starts_with(pattern) } else { owner == *pattern }
            },
        );
    let harmless = is_harmless(owner, member.map(|(name, _)| name));
    for Floor(_, members, descriptor, permissions) in about {
        let speaks = match member {
            Some((name, _)) if members.is_empty() => !harmless && !OF_OBJECTS.contains(&name),
            Some((name, of)) => members.iter().any(|pattern| matches(pattern, name)) && of.starts_with(descriptor),
            None => members.is_empty() && !harmless,
        };
        if speaks {
            all.extend(*permissions);
        }
    }
    all
}

/// What one line of `javap -v -c -p` needs.
fn of_line(line: &str) -> BTreeSet<&'static str> {
    let line = line.trim();
    if line.starts_with("flags:") {
        // A class has no such flag.
        return if line.contains("ACC_NATIVE") { BTreeSet::from(["NATIVE"]) } else { BTreeSet::new() };
    }
    let Some((start, comment)) = line.split_once("// ") else { return BTreeSet::new() };
    if start.starts_with("super_class:") {
        return needs(comment, None);
    }
    let (kind, rest) = comment.split_once(' ').unwrap_or((comment, ""));
    if kind.starts_with("REF_") && start.contains("= MethodHandle") {
        return of_member(rest);
    }
    // Instructions have their offset in front, constants a number sign.
    let Some((offset, instruction)) = start.split_once(": ") else { return BTreeSet::new() };
    if offset.is_empty() || !offset.bytes().all(|byte| byte.is_ascii_digit()) {
        return BTreeSet::new();
    }
    match (kind, instruction.split_whitespace().next().unwrap_or_default()) {
        ("Method" | "InterfaceMethod" | "Field", _) => of_member(rest),
        ("class", "ldc" | "ldc_w") => needs(rest, None),
        _ => BTreeSet::new(),
    }
}

/// What `owner.name:descriptor` needs; a member of the class itself stands there without owner.
fn of_member(text: &str) -> BTreeSet<&'static str> {
    let Some((path, descriptor)) = text.split_once(':') else { return BTreeSet::new() };
    let Some((owner, name)) = path.rsplit_once('.') else { return BTreeSet::new() };
    needs(owner, Some((name.trim_matches('"'), descriptor)))
}

/// Each class, dotted, with each permission that `javap` shows the use of. `folder` holds the classes of one jar.
pub(crate) fn of(javap: &Path, folder: &Path) -> BTreeSet<(String, String)> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    let mut found = BTreeSet::new();
    for batch in files.chunks(BATCH) {
        let mut command = Command::new(javap);
        command.args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-v", "-c", "-p"]).args(batch);
        let output = fixtures::run(&mut command, LIMIT).expect("javap");
        assert!(output.status.success(), "{}: {}", output.status, output.stderr);
        let (mut class, mut seen) = (String::new(), 0);
        for line in output.stdout.lines() {
            if let Some(path) = line.strip_prefix("Classfile ") {
                class = name(folder, Path::new(path));
                seen += 1;
                continue;
            }
            found.extend(of_line(line).into_iter().map(|permission| (class.clone(), permission.to_owned())));
        }
        assert_eq!(seen, batch.len(), "javap has not printed every class");
    }
    found
}

/// The name of a class by its path, that of a copy for a Java release too.
fn name(folder: &Path, file: &Path) -> String {
    let path = file.strip_prefix(folder).expect("a class of the folder").with_extension("");
    let path = path.to_str().expect("a text").replace('\\', "/");
    let versioned = path.strip_prefix("META-INF/versions/").and_then(|rest| rest.split_once('/'));
    versioned.map_or(path.as_str(), |(_, name)| name).replace('/', ".")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "class")
            && !path.ends_with("module-info.class")
            && !path.ends_with("package-info.class")
        {
            files.push(path);
        }
    }
}

#[test]
fn lines_of_javap_are_understood() {
    let all = |line| of_line(line).into_iter().collect::<Vec<_>>();
    assert_eq!(all("        10: invokespecial #20     // Method java/net/Socket.\"<init>\":()V"), ["NETWORK"]);
    assert_eq!(
        all("  #61 = MethodHandle   8:#62   // REF_newInvokeSpecial java/net/Socket.\"<init>\":()V"),
        ["NETWORK"]
    );
    assert_eq!(all("         0: ldc   #11         // class java/net/Socket"), ["NETWORK"]);
    assert_eq!(all("  super_class: #2                         // java/lang/Thread"), ["THREADS"]);
    assert_eq!(all("    flags: (0x0100) ACC_NATIVE"), ["NATIVE"]);
    assert_eq!(all("  #7 = Methodref  #2.#3  // java/net/Socket.\"<init>\":()V"), [""; 0]);
    assert_eq!(all("         4: checkcast     #38   // class java/net/Socket"), [""; 0]);
    assert_eq!(all("        18: invokevirtual #27   // Method start:()V"), [""; 0]);
    assert_eq!(all("         1: ldc #4   // String // Method java/net/Socket.close:()V"), [""; 0]);
    assert_eq!(
        all("         1: invokestatic #4   // Method java/lang/Thread.currentThread:()Ljava/lang/Thread;"),
        ["THREAD_INFO"]
    );
    assert_eq!(all("         1: invokevirtual #4   // Method java/net/URI.getHost:()Ljava/lang/String;"), [""; 0]);
}
