package io.btrace.boot;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.instrument.Instrumentation;
import java.util.zip.ZipFile;

/**
 * Takes the native core out of the jar and loads it.
 *
 * <p>Places, in this order: the folder in {@code btrace.native.dir}; {@code ~/.btrace/native}, trusted only if the user
 * owns it; a fresh folder below {@code java.io.tmpdir}, deleted after loading. Files are named by SHA-256 and appear by
 * rename, so a half-written one is never seen.
 */
public final class NativeLoader {
  private static final String SETTING = "btrace.native.dir";
  private static final String LIBC = "btrace.native.libc";

  /** Opens a library in a way that only newer Java knows; registers itself from its static initializer. */
  interface Opener {
    /** Whether the library was loaded. */
    boolean open(Instrumentation instrumentation, File library);
  }

  static Opener opener;

  private NativeLoader() {}

  /**
   * Loads the core of the running system.
   *
   * @param zip the open agent jar
   * @param instrumentation null in the client and under {@code -agentpath}
   * @throws IOException naming each folder that was tried, the cause and the setting
   */
  public static void load(ZipFile zip, Instrumentation instrumentation) throws IOException {
    String target = target();
    byte[] manifest = MaskedJarUtils.read(zip, "META-INF/MANIFEST.MF");
    String hashes = manifest == null ? null : MaskedJarUtils.attribute(manifest, "BTrace-Native-SHA256");
    String hash = hash(hashes, target);
    if (hash == null) {
      throw new IOException("no native core for " + target + " in " + zip.getName() + ", which has: " + targets(hashes)
          + "; hint: add it to `targets` of agent.toml and build the agent again");
    }
    String entry = "META-INF/btrace/native/" + target + "/libagent_core.so";
    String name = "libagent_core-" + hash + ".so";
    StringBuilder failures = new StringBuilder();
    String[] folders = folders();
    if (!folders[0].isEmpty() && load(new File(folders[0]), name, zip, entry, instrumentation, false, failures)) {
      return;
    }
    if (!folders[1].isEmpty() && load(new File(folders[1]), name, zip, entry, instrumentation, true, failures)) {
      return;
    }
    File fresh = freshFolder(new File(folders[2]), failures);
    if (fresh != null) {
      try {
        if (load(fresh, name, zip, entry, instrumentation, false, failures)) {
          return;
        }
      } finally {
        new File(fresh, name).delete();
        fresh.delete();
      }
    }
    throw new IOException("the native core could not be loaded" + failures + "; hint: set -D" + SETTING
        + "= to a folder that allows execution");
  }

  /** The configured folder, the one of the user, the one for temporary files; empty where there is none. */
  public static String[] folders() {
    String home = System.getProperty("user.home", "");
    return new String[] {
      System.getProperty(SETTING, ""),
      // In a container without a passwd entry user.home is "?".
      home.startsWith("/") ? home + "/.btrace/native" : "",
      System.getProperty("java.io.tmpdir", "/tmp")
    };
  }

  private static boolean load(
      File folder, String name, ZipFile zip, String entry, Instrumentation inst, boolean mustOwn, StringBuilder why)
      throws IOException {
    try {
      folder.mkdirs();
      if (!folder.isDirectory()) {
        why.append("; ").append(folder).append(" cannot be made");
        return false;
      }
      if (mustOwn && !isOwn(folder)) {
        why.append("; ").append(folder).append(" belongs to another user");
        return false;
      }
      File file = new File(folder, name);
      if (file.length() != zip.getEntry(entry).getSize() || mustOwn && !isOwn(file)) {
        write(folder, file, MaskedJarUtils.read(zip, entry));
      }
      open(file, inst);
      return true;
    } catch (IOException e) {
      why.append("; ").append(folder).append(": ").append(e.getMessage());
    } catch (UnsatisfiedLinkError e) {
      // The usual cause is a file system mounted noexec ("failed to map segment").
      why.append("; ").append(folder).append(": ").append(e.getMessage());
    }
    return false;
  }

  private static void write(File folder, File file, byte[] bytes) throws IOException {
    File part = new File(folder, file.getName() + "." + random());
    boolean done = false;
    try {
      FileOutputStream out = new FileOutputStream(part);
      try {
        out.write(bytes);
      } finally {
        out.close();
      }
      part.setReadable(true, true);
      done = part.renameTo(file);
      if (!done) {
        throw new IOException("cannot rename to " + file);
      }
    } finally {
      if (!done) {
        part.delete();
      }
    }
  }

  /**
   * Whether this user owns the file or folder, which also becomes writable by nobody else. Changing the mode is the one
   * thing in java.io that only the owner can do; NIO would tell, but must not run before the application's main.
   */
  private static boolean isOwn(File file) {
    return file.setWritable(false, false) && file.setWritable(true, true);
  }

  private static File freshFolder(File base, StringBuilder why) {
    File folder = new File(base, "fatagent-" + random());
    // mkdir fails if the name exists, so the folder is ours alone from its first moment.
    if (!folder.mkdir()) {
      why.append("; ").append(base).append(" is not writable");
      return null;
    }
    folder.setExecutable(false, false);
    folder.setExecutable(true, true);
    folder.setReadable(false, false);
    folder.setReadable(true, true);
    return folder;
  }

  private static String random() {
    byte[] bytes = new byte[16];
    try {
      FileInputStream in = new FileInputStream("/dev/urandom");
      try {
        if (in.read(bytes) != bytes.length) {
          throw new IOException("short read");
        }
      } finally {
        in.close();
      }
    } catch (IOException e) {
      // Names need only differ here; mkdir and rename keep their own promises.
      long seed = System.nanoTime() ^ System.identityHashCode(bytes) * 0x9E3779B97F4A7C15L;
      for (int i = 0; i < bytes.length; i++) {
        seed = seed * 6364136223846793005L + 1442695040888963407L;
        bytes[i] = (byte) (seed >>> 56);
      }
    }
    StringBuilder hex = new StringBuilder(32);
    for (byte b : bytes) {
      hex.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
    }
    return hex.toString();
  }

  private static void open(File file, Instrumentation instrumentation) {
    String path = file.getAbsolutePath();
    boolean boot = NativeLoader.class.getClassLoader() == null;
    if (boot && instrumentation != null && MaskedJarUtils.feature() >= 24) {
      try {
        // Compiled apart, for a newer Java than the rest: named by text only, and run without reflection.
        Class.forName("io.btrace.boot.NativeLoader24", true, null);
        if (opener.open(instrumentation, new File(path))) {
          return;
        }
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException("the jar lacks io/btrace/boot/NativeLoader24.class", e);
      } catch (UnsatisfiedLinkError e) {
        // The library itself cannot be loaded from there: asking again in another way would only add the JVM's warning.
        throw e;
      } catch (LinkageError internalsChanged) {
        // Falls through: one warning of the JVM is better than no agent.
      } catch (RuntimeException internalsChanged) {
        // As above.
      }
    }
    System.load(path);
  }

  /** The running system as {@code linux-x86_64-gnu}. */
  public static String target() {
    String os = System.getProperty("os.name", "").toLowerCase(java.util.Locale.ROOT);
    String arch = System.getProperty("os.arch", "");
    String machine = arch.equals("amd64") ? "x86_64" : arch.equals("arm64") ? "aarch64" : arch;
    if (!os.equals("linux")) {
      return os.replace(' ', '-') + "-" + machine;
    }
    String libc = System.getProperty(LIBC);
    return "linux-" + machine + "-" + (libc != null ? libc : libc());
  }

  /** Decided by the running JVM's own ELF interpreter: other loaders on the disk and os-release say nothing. */
  private static String libc() {
    String interpreter = null;
    try {
      interpreter = interpreter("/proc/self/exe");
    } catch (IOException e) {
      // A hidden /proc: glibc is by far the likelier, and a wrong guess fails to load with one line.
    }
    return interpreter != null && interpreter.contains("ld-musl") ? "musl" : "gnu";
  }

  /** The PT_INTERP string of a 64-bit little-endian ELF file, or null. */
  private static String interpreter(String path) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path, "r");
    try {
      byte[] head = new byte[64];
      file.readFully(head);
      if (head[0] != 0x7f || head[1] != 'E' || head[4] != 2 || head[5] != 1) {
        return null;
      }
      long at = number(head, 32, 8);
      int size = (int) number(head, 54, 2);
      int count = (int) number(head, 56, 2);
      byte[] program = new byte[size];
      for (int i = 0; i < count; i++) {
        file.seek(at + (long) i * size);
        file.readFully(program);
        if (number(program, 0, 4) == 3) {
          byte[] text = new byte[(int) Math.min(number(program, 32, 8), 4096)];
          file.seek(number(program, 8, 8));
          file.readFully(text);
          return new String(text, 0, 0, Math.max(0, text.length - 1));
        }
      }
      return null;
    } finally {
      file.close();
    }
  }

  private static long number(byte[] bytes, int at, int length) {
    long value = 0;
    for (int i = length - 1; i >= 0; i--) {
      value = value << 8 | bytes[at + i] & 0xff;
    }
    return value;
  }

  /** The hash of one target in {@code target=hash,target=hash}, or null. */
  private static String hash(String hashes, String target) {
    int at = hashes == null ? -1 : ("," + hashes).indexOf("," + target + "=");
    if (at < 0) {
      return null;
    }
    int start = at + target.length() + 1;
    int end = hashes.indexOf(',', start);
    return hashes.substring(start, end < 0 ? hashes.length() : end);
  }

  /** The targets in {@code target=hash,target=hash}, as a text. */
  private static String targets(String hashes) {
    StringBuilder names = new StringBuilder();
    int at = 0;
    while (hashes != null && at < hashes.length()) {
      int end = hashes.indexOf(',', at);
      int next = end < 0 ? hashes.length() : end;
      int equals = hashes.indexOf('=', at);
      names.append(names.length() == 0 ? "" : ", ").append(hashes, at, equals < 0 || equals > next ? next : equals);
      at = next + 1;
    }
    return names.length() == 0 ? "none" : names.toString();
  }

  /** The hash of the running system's core, or {@code -}. */
  static String digestOf(String hashes) {
    String hash = hash(hashes, target());
    return hash == null ? "-" : hash;
  }
}
