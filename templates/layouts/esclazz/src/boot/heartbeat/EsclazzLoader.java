package heartbeat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Loads the {@code .esclazz} files of the section {@code agent/}, each as its copy for the running Java if there is one:
 * {@code META-INF/versions/N/agent/…} with the highest N that is not above it. Its parent is the bootstrap loader.
 *
 * <p>The directory of the jar is walked once; after that a class costs one look-up.
 */
final class EsclazzLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private static final String SECTION = "agent/";
  private static final String SUFFIX = ".esclazz";
  private static final String VERSIONS = "META-INF/versions/";

  private final ZipFile zip;
  /** The entry of each class, by its path without section and suffix. */
  private final Map<String, ZipEntry> classes = new HashMap<String, ZipEntry>();

  EsclazzLoader(File jar) throws IOException {
    super(null);
    zip = new ZipFile(jar);
    int java = running(System.getProperty("java.specification.version"));
    Map<String, Integer> chosen = new HashMap<String, Integer>();
    for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements(); ) {
      ZipEntry entry = entries.nextElement();
      String name = entry.getName();
      int version = 0;
      if (name.startsWith(VERSIONS)) {
        int end = name.indexOf('/', VERSIONS.length());
        version = end < 0 ? Integer.MAX_VALUE : number(name.substring(VERSIONS.length(), end));
        name = name.substring(end + 1);
      }
      if (version > java || !name.startsWith(SECTION) || !name.endsWith(SUFFIX)) {
        continue;
      }
      String path = name.substring(SECTION.length(), name.length() - SUFFIX.length());
      Integer other = chosen.get(path);
      if (other == null || other < version) {
        chosen.put(path, version);
        classes.put(path, entry);
      }
    }
  }

  /** 8 of {@code 1.8}, 17 of {@code 17}. */
  private static int running(String specification) {
    return number(specification.startsWith("1.") ? specification.substring(2) : specification);
  }

  /** The number, or one above every Java where the text is none. */
  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return Integer.MAX_VALUE;
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    ZipEntry entry = classes.get(name.replace('.', '/'));
    if (entry == null) {
      throw new ClassNotFoundException(name);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream((int) entry.getSize());
    byte[] buffer = new byte[4096];
    try {
      InputStream in = zip.getInputStream(entry);
      try {
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
          bytes.write(buffer, 0, length);
        }
      } finally {
        in.close();
      }
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
    return defineClass(name, bytes.toByteArray(), 0, bytes.size());
  }
}
