package io.btrace.boot;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;

/**
 * Finds out which jar a start is for. The JVM does not say: with two agent jars that share an entry class, the first
 * one's code runs for both.
 *
 * <p>At launch the premain calls come in the order of the {@code -javaagent} options, which the process's own command
 * line shows. Where it does not (options files), and on attach, the jar is the one that the JVM appended last to the
 * system class loader; looking there opens every jar of the class path, so it is not the first choice.
 */
final class StartedJar {
  private static final String OPTION = "-javaagent:";

  private StartedJar() {}

  /** The jar of the premain call number {@code index}, from 0, that runs this Loader. */
  static String ofPremain(int index) throws IOException {
    List<String> options = agentOptions();
    if (options.size() == 1 && index == 0 && new File(options.get(0)).isFile()) {
      return absolute(options.get(0));
    }
    int own = 0;
    for (String path : options) {
      byte[] manifest = manifestOrNull(path);
      if (manifest != null && isOurs(manifest) && own++ == index) {
        return absolute(path);
      }
    }
    return ofAgentmain();
  }

  /** The jar that was attached: the last of ours on the system class loader. */
  static String ofAgentmain() throws IOException {
    String found = null;
    Enumeration<URL> all = ClassLoader.getSystemResources("META-INF/MANIFEST.MF");
    while (all.hasMoreElements()) {
      String jar = MaskedJarUtils.jarPath(all.nextElement().toString());
      byte[] manifest = jar == null ? null : manifestOrNull(jar);
      if (manifest != null && isOurs(manifest)) {
        found = jar;
      }
    }
    if (found == null) {
      throw new IOException("cannot tell which agent jar was started");
    }
    return absolute(found);
  }

  /**
   * Whether the boot classes can only come from this jar: it still has the name that its Boot-Class-Path gives, it was
   * started at launch, and no other agent was.
   */
  static boolean isSureToBeBoot(String jar, byte[] manifest, int mode) {
    int agents = agentOptions().size();
    return mode == Loader.AGENTPATH
        ? agents == 0
        : mode == Loader.PREMAIN
            && agents == 1
            && new File(jar).getName().equals(MaskedJarUtils.attribute(manifest, "Boot-Class-Path"));
  }

  /**
   * The build id of the jar that the boot classes really came from, or null. The packager writes it as the version of
   * this package, the one thing that the JVM tells about where a boot class came from.
   */
  static String bootBuildId() {
    Package own = StartedJar.class.getPackage();
    return own == null ? null : own.getImplementationVersion();
  }

  private static boolean isOurs(byte[] manifest) {
    return "io.btrace.boot.Loader".equals(MaskedJarUtils.attribute(manifest, "Premain-Class"))
        && MaskedJarUtils.attribute(manifest, "BTrace-Build-Id") != null;
  }

  private static byte[] manifestOrNull(String jar) {
    try {
      return new File(jar).isFile() ? MaskedJarUtils.manifest(jar) : null;
    } catch (IOException e) {
      return null;
    }
  }

  private static String absolute(String path) {
    return new File(path).getAbsolutePath();
  }

  /** The paths in the {@code -javaagent} options of environment and command line, in the order the JVM reads them. */
  private static List<String> agentOptions() {
    List<String> paths = new ArrayList<String>(2);
    fromWords(System.getenv("JAVA_TOOL_OPTIONS"), paths);
    fromWords(System.getenv("JDK_JAVA_OPTIONS"), paths);
    ByteArrayOutputStream all = new ByteArrayOutputStream(4096);
    try (InputStream in = new FileInputStream("/proc/self/cmdline")) {
      byte[] chunk = new byte[4096];
      for (int got = in.read(chunk); got > 0; got = in.read(chunk)) {
        all.write(chunk, 0, got);
      }
    } catch (IOException e) {
      // No /proc: the class loader tells instead.
    }
    String text = all.toString();
    for (int start = 0, end; start < text.length(); start = end + 1) {
      end = text.indexOf('\0', start);
      end = end < 0 ? text.length() : end;
      add(text.substring(start, end), paths);
    }
    fromWords(System.getenv("_JAVA_OPTIONS"), paths);
    return paths;
  }

  /** Words are separated by white space; either kind of quote keeps it. */
  private static void fromWords(String text, List<String> paths) {
    if (text == null || !text.contains(OPTION)) {
      return;
    }
    StringBuilder word = new StringBuilder();
    char quote = 0;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : ' ';
      if (quote != 0 && i < text.length()) {
        quote = c == quote ? 0 : quote;
        if (quote != 0) {
          word.append(c);
        }
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (Character.isWhitespace(c)) {
        add(word.toString(), paths);
        word.setLength(0);
      } else {
        word.append(c);
      }
    }
  }

  /** The JVM, too, ends the path at the first equals sign. */
  private static void add(String option, List<String> paths) {
    if (option.startsWith(OPTION)) {
      int equals = option.indexOf('=');
      paths.add(option.substring(OPTION.length(), equals < 0 ? option.length() : equals));
    }
  }
}
