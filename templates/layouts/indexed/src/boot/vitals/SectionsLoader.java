package vitals;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Loads classes and resources of all sections. The index names the section of each folder, so that a look-up costs one
 * probe of the jar however many sections there are, and none for a folder that is in no section.
 *
 * <p>The index is text: one line for each folder, {@code folder section}, made by {@code tools/Index.java}.
 */
final class SectionsLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private static final String INDEX = "sections.index";

  private final ZipFile zip;
  private final Map<String, String> sections = new HashMap<String, String>();

  SectionsLoader(File jar) throws IOException {
    super(null);
    zip = new ZipFile(jar);
    byte[] index = read(INDEX);
    if (index == null) {
      throw new FileNotFoundException(INDEX + " in " + jar);
    }
    BufferedReader lines = new BufferedReader(new InputStreamReader(new ByteArrayInputStream(index), "UTF-8"));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      int blank = line.lastIndexOf(' ');
      sections.put(line.substring(0, blank), line.substring(blank + 1));
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    try {
      String path = path(name.replace('.', '/') + ".class");
      byte[] bytes = path == null ? null : read(path);
      if (bytes == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  @Override
  protected URL findResource(String name) {
    String path = path(name);
    if (path == null || zip.getEntry(path) == null) {
      return null;
    }
    try {
      return new URL(null, "vitals:/" + path, new Entries());
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    URL url = findResource(name);
    return url == null ? Collections.<URL>emptyEnumeration() : Collections.enumeration(Collections.singleton(url));
  }

  /** Where the index says that a file lies, or null; a class has another suffix in a section. */
  private String path(String name) {
    String section = sections.get(name.substring(0, Math.max(0, name.lastIndexOf('/'))));
    return section == null ? null : section + '/' + name + (name.endsWith(".class") ? "data" : "");
  }

  private byte[] read(String path) throws IOException {
    ZipEntry entry = zip.getEntry(path);
    if (entry == null) {
      return null;
    }
    byte[] bytes = new byte[(int) entry.getSize()];
    InputStream in = zip.getInputStream(entry);
    try {
      new DataInputStream(in).readFully(bytes);
    } finally {
      in.close();
    }
    return bytes;
  }

  /** Opens what this loader's URLs name through the jar that is open anyway. */
  private final class Entries extends URLStreamHandler {
    @Override
    protected URLConnection openConnection(URL url) {
      return new URLConnection(url) {
        @Override
        public void connect() {}

        @Override
        public InputStream getInputStream() throws IOException {
          byte[] bytes = read(getURL().getPath().substring(1));
          if (bytes == null) {
            throw new FileNotFoundException(getURL().toString());
          }
          return new ByteArrayInputStream(bytes);
        }
      };
    }
  }
}
