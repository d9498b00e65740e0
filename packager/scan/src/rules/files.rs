//! Files.

use manifests::permission::Permission::{self, FileRead, FileWrite, MemoryInfo, Network};

use super::{Check, Rule};

const READ: &[Permission] = &[FileRead];
const WRITE: &[Permission] = &[FileWrite];
const BOTH: &[Permission] = &[FileRead, FileWrite];
const READ_ADDRESS: &[Permission] = &[FileRead, Network];
const WRITE_ADDRESS: &[Permission] = &[FileWrite, Network];

/// How descriptors begin that take open options one by one; others take a set, whose contents are not followed.
const OPTIONS: &str = "(Ljava/nio/file/Path;[Ljava/nio/file/OpenOption;";
const OPENS: &str = "reads a file, and writes it unless opened for reading";
const OPENS_BY_SET: &str = "reads or writes a file, as a set of options says";

pub(super) const RULES: &[Rule] = &[
    Rule::all("java/io/FileInputStream", READ, "reads a file"),
    Rule::all("java/io/FileReader", READ, "reads a file"),
    Rule::all("java/io/FileOutputStream", BOTH, "writes a file"),
    Rule::all("java/io/FileWriter", BOTH, "writes a file"),
    Rule::of("java/io/PrintWriter", &["<init>"], BOTH, "writes a file").taking("(Ljava/lang/String;"),
    Rule::of("java/io/PrintWriter", &["<init>"], BOTH, "writes a file").taking("(Ljava/io/File;"),
    Rule::of("java/io/PrintStream", &["<init>"], BOTH, "writes a file").taking("(Ljava/lang/String;"),
    Rule::of("java/io/PrintStream", &["<init>"], BOTH, "writes a file").taking("(Ljava/io/File;"),
    Rule::of("java/util/Formatter", &["<init>"], BOTH, "writes a file").taking("(Ljava/lang/String;"),
    Rule::of("java/util/Formatter", &["<init>"], BOTH, "writes a file").taking("(Ljava/io/File;"),
    Rule::of("java/util/Scanner", &["<init>"], READ, "reads a file").taking("(Ljava/io/File;"),
    Rule::of("java/util/Scanner", &["<init>"], READ, "reads a file").taking("(Ljava/nio/file/Path;"),
    Rule::of("java/io/RandomAccessFile", &["<init>"], BOTH, "reads a file, and writes it unless the mode is `r`")
        .with(Check::Mode),
    Rule::of(
        "java/io/RandomAccessFile",
        &[
            "write",
            "writeBoolean",
            "writeByte",
            "writeShort",
            "writeChar",
            "writeInt",
            "writeLong",
            "writeFloat",
            "writeDouble",
            "writeBytes",
            "writeChars",
            "writeUTF",
            "setLength",
        ],
        BOTH,
        "writes a file",
    ),
    Rule::all("java/io/RandomAccessFile", READ, "reads a file"),
    Rule::of(
        "java/io/File",
        &[
            "delete",
            "deleteOnExit",
            "renameTo",
            "mkdir",
            "mkdirs",
            "createNewFile",
            "createTempFile",
            "setExecutable",
            "setLastModified",
            "setReadOnly",
            "setReadable",
            "setWritable",
        ],
        WRITE,
        "changes files",
    ),
    Rule::of(
        "java/io/File",
        &[
            "exists",
            "isFile",
            "isDirectory",
            "isHidden",
            "length",
            "lastModified",
            "list",
            "listFiles",
            "listRoots",
            "canRead",
            "canWrite",
            "canExecute",
            "getCanonicalPath",
            "getCanonicalFile",
            "getFreeSpace",
            "getTotalSpace",
            "getUsableSpace",
        ],
        READ,
        "reads about files",
    ),
    Rule::of("java/nio/file/Files", &["copy"], BOTH, "copies a file"),
    Rule::of("java/nio/file/Files", &["newByteChannel"], BOTH, OPENS).taking(OPTIONS).with(Check::Options),
    Rule::of("java/nio/file/Files", &["newByteChannel"], BOTH, OPENS_BY_SET),
    Rule::of(
        "java/nio/file/Files",
        &[
            "write",
            "writeString",
            "newOutputStream",
            "newBufferedWriter",
            "move",
            "delete",
            "deleteIfExists",
            "createFile",
            "createDirectory",
            "createDirectories",
            "createTempFile",
            "createTempDirectory",
            "createLink",
            "createSymbolicLink",
            "setAttribute",
            "setLastModifiedTime",
            "setOwner",
            "setPosixFilePermissions",
        ],
        WRITE,
        "changes files",
    ),
    Rule::all("java/nio/file/Files", READ, "reads files"),
    Rule::of("java/nio/channels/FileChannel", &["open"], BOTH, OPENS).taking(OPTIONS).with(Check::Options),
    Rule::of("java/nio/channels/FileChannel", &["open"], BOTH, OPENS_BY_SET),
    Rule::of("java/nio/channels/AsynchronousFileChannel", &["open"], BOTH, OPENS).taking(OPTIONS).with(Check::Options),
    Rule::of("java/nio/channels/AsynchronousFileChannel", &["open"], BOTH, OPENS_BY_SET),
    Rule::of("java/nio/file/Path", &["toRealPath", "register"], READ, "reads about files"),
    Rule::of("java/nio/file/FileSystems", &["newFileSystem"], BOTH, "opens a file as a file system"),
    Rule::of("java/nio/file/FileSystem", &["newWatchService", "getFileStores"], READ, "reads about files"),
    Rule::all("java/nio/file/spi/FileSystemProvider", BOTH, "reads and changes files"),
    Rule::all("java/nio/file/SecureDirectoryStream", BOTH, "reads and changes files"),
    Rule::all("java/util/zip/ZipFile", READ, "reads an archive"),
    Rule::all("java/util/jar/JarFile", READ, "reads an archive"),
    Rule::all("java/util/logging/FileHandler", BOTH, "writes a log file"),
    Rule::all("java/util/prefs/", BOTH, "keeps preferences in files"),
    Rule::of("javax/xml/parsers/DocumentBuilder", &["parse"], READ, "reads a file").taking("(Ljava/io/File;"),
    Rule::of("javax/xml/parsers/DocumentBuilder", &["parse"], &[FileRead, Network], "reads what an address names")
        .taking("(Ljava/lang/String;"),
    Rule::of("javax/xml/parsers/SAXParser", &["parse"], READ, "reads a file").taking("(Ljava/io/File;"),
    Rule::of("javax/xml/parsers/SAXParser", &["parse"], &[FileRead, Network], "reads what an address names")
        .taking("(Ljava/lang/String;"),
    Rule::of("javax/xml/transform/stream/StreamSource", &["<init>"], READ, "reads a file").taking("(Ljava/io/File;"),
    Rule::of("javax/xml/transform/stream/StreamResult", &["<init>"], WRITE, "writes a file").taking("(Ljava/io/File;"),
    Rule::of("javax/xml/transform/stream/StreamResult", &["<init>"], WRITE_ADDRESS, "writes what an address names")
        .taking("(Ljava/lang/String;"),
    Rule::of("javax/xml/transform/stream/StreamSource", &["<init>"], READ_ADDRESS, "reads what an address names")
        .taking("(Ljava/lang/String;"),
    Rule::of("org/xml/sax/XMLReader", &["parse"], READ_ADDRESS, "reads what an address names")
        .taking("(Ljava/lang/String;"),
    Rule::of("java/nio/file/attribute/BasicFileAttributeView", &["setTimes"], WRITE, "changes files"),
    Rule::of("java/nio/file/attribute/FileOwnerAttributeView", &["setOwner"], WRITE, "changes files"),
    Rule::of(
        "java/nio/file/attribute/PosixFileAttributeView",
        &["setPermissions", "setGroup", "setOwner", "setTimes"],
        WRITE,
        "changes files",
    ),
    Rule::of("java/nio/file/attribute/AclFileAttributeView", &["setAcl", "setOwner"], WRITE, "changes files"),
    Rule::of(
        "java/nio/file/attribute/DosFileAttributeView",
        &["setReadOnly", "setHidden", "setSystem", "setArchive", "setTimes"],
        WRITE,
        "changes files",
    ),
    Rule::of("java/nio/file/attribute/UserDefinedFileAttributeView", &["write", "delete"], WRITE, "changes files"),
    Rule::of(
        "java/nio/file/attribute/UserDefinedFileAttributeView",
        &["read", "list", "size"],
        READ,
        "reads about files",
    ),
    Rule::of("java/security/KeyStore$Builder", &["newInstance"], READ, "reads a file").taking("(Ljava/io/File;"),
    Rule::of("java/security/KeyStore$Builder", &["newInstance"], READ, "reads a file")
        .taking("(Ljava/lang/String;Ljava/security/Provider;Ljava/io/File;"),
    Rule::of("java/security/KeyStore", &["getInstance"], READ, "reads a file").taking("(Ljava/io/File;"),
    Rule::of("javax/sound/sampled/AudioSystem", &["write"], WRITE, "writes a file")
        .taking("(Ljavax/sound/sampled/AudioInputStream;Ljavax/sound/sampled/AudioFileFormat$Type;Ljava/io/File;"),
    Rule::all("javax/imageio/stream/FileImageOutputStream", BOTH, "writes a file"),
    Rule::all("javax/imageio/stream/FileImageInputStream", READ, "reads a file"),
    Rule::of("javax/imageio/ImageIO", &["read", "createImageInputStream"], READ, "reads a file"),
    Rule::of("javax/imageio/ImageIO", &["write", "createImageOutputStream"], WRITE, "writes a file"),
    Rule::of(
        "com/sun/management/HotSpotDiagnosticMXBean",
        &["dumpHeap", "dumpThreads"],
        &[MemoryInfo, FileWrite],
        "writes a dump",
    ),
];
