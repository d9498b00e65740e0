package classcount;

import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Loads classes and resources from {@code inst/} of the agent's jar. Its parent is the bootstrap loader, so it sees
 * nothing of the application and the application sees nothing of it.
 *
 * <p>Of a class or resource with versioned copies, {@code inst/META-INF/versions/N/…}, the highest one up to the running
 * Java counts.
 */
final class InstLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private static final String SECTION = "inst/";
  private static final int OLDEST_VERSION = 9;

  private final ZipFile zip;
  private final String root;
  private final int java;

  InstLoader(File jar) throws IOException {
    super(null);
    zip = new ZipFile(jar);
    root = "jar:" + jar.toURI() + "!/";
    java = running(System.getProperty("java.specification.version"));
  }

  /** 8 of {@code 1.8}, 17 of {@code 17}. */
  private static int running(String specification) {
    return Integer.parseInt(specification.startsWith("1.") ? specification.substring(2) : specification);
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    ZipEntry entry = entry(name.replace('.', '/') + ".class");
    if (entry == null) {
      throw new ClassNotFoundException(name);
    }
    try {
      byte[] bytes = new byte[(int) entry.getSize()];
      InputStream in = zip.getInputStream(entry);
      try {
        new DataInputStream(in).readFully(bytes);
      } finally {
        in.close();
      }
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  @Override
  protected URL findResource(String name) {
    ZipEntry entry = entry(name);
    try {
      return entry == null ? null : new URL(root + entry.getName());
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    URL url = findResource(name);
    return url == null ? Collections.<URL>emptyEnumeration() : Collections.enumeration(Collections.singleton(url));
  }

  /** The entry that counts for the running Java; a class has another suffix in the section. */
  private ZipEntry entry(String name) {
    String path = name.endsWith(".class") ? name + "data" : name;
    for (int version = java; version >= OLDEST_VERSION; version--) {
      ZipEntry entry = zip.getEntry(SECTION + "META-INF/versions/" + version + '/' + path);
      if (entry != null) {
        return entry;
      }
    }
    return zip.getEntry(SECTION + path);
  }
}
