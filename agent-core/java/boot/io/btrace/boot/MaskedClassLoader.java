package io.btrace.boot;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.Set;
import java.util.Vector;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Loads the {@code .classdata} of one section of a masked jar.
 *
 * <p>Classes: parent first, then the section, then {@code shared}. Resources: section, shared, then the jar's root. The
 * agent section's parent is null (the bootstrap loader), the client section's is the system class loader; an ordinary
 * agent may ask for another.
 *
 * <p>Where the jar lists versioned copies, the highest one up to the running Java comes first, of classes and resources.
 * A class is also a resource, with the bytes that it was defined from.
 *
 * <p>Not a URLClassLoader: that alone would make an empty agent 1.1 to 1.2 times as expensive.
 */
public final class MaskedClassLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private static final boolean DEBUG = Boolean.getBoolean("btrace.boot.debug");
  private static final String ROOT = "META-INF/btrace/";

  private final ZipFile zip;
  private final String jar;
  private final String section;
  /** Java releases with copies of their own, as folders, the newest first; empty where there is none. */
  private final String[] versions;
  /** What the section says of its packages, or null; only sections of ordinary agents say anything. */
  private final SectionManifest about;
  /** Whether classes of the section come before the parent's: the client of an ordinary agent may bring other copies. */
  private final boolean ownFirst;
  /** Folders of the jar, once one was asked for. */
  private Set<String> folders;

  /**
   * @param jar path of the masked jar
   * @param section name of the folder below {@code META-INF/btrace/}
   * @param parent null for the bootstrap loader
   */
  public MaskedClassLoader(String jar, String section, ClassLoader parent) throws IOException {
    super(parent);
    this.zip = new ZipFile(jar);
    this.jar = jar;
    this.section = section;
    this.versions = versions(MaskedJarUtils.read(zip, ROOT + "versions.list"));
    byte[] manifest = MaskedJarUtils.read(zip, ROOT + section + "/META-INF/MANIFEST.MF");
    this.about = manifest == null ? null : SectionManifest.parse(manifest, jar);
    this.ownFirst = about != null && section.equals("client");
  }

  /** Releases up to the running Java, one a line in the list. */
  private static String[] versions(byte[] list) {
    if (list == null) {
      return new String[0];
    }
    Vector<String> known = new Vector<String>();
    String text = MaskedJarUtils.utf8(list);
    for (int start = 0, end; start < text.length(); start = end + 1) {
      end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      String version = text.substring(start, end);
      if (Integer.parseInt(version) <= MaskedJarUtils.feature()) {
        known.add("META-INF/versions/" + version + '/');
      }
    }
    return known.toArray(new String[known.size()]);
  }

  /** The jar this loader reads, left open for as long as the loader lives. */
  public ZipFile jar() {
    return zip;
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    String path = place(name.replace('.', '/') + ".classdata");
    try {
      byte[] bytes = path == null ? null : MaskedJarUtils.read(zip, path);
      if (bytes == null) {
        debug("class ", name, "not found");
        throw new ClassNotFoundException(name + " is in neither " + section + " nor shared of " + jar);
      }
      debug("class ", name, path.startsWith(ROOT + section + '/') ? section : "shared");
      if (about == null) {
        return defineClass(name, bytes, 0, bytes.length);
      }
      int dot = name.lastIndexOf('.');
      if (dot > 0) {
        define(name.substring(0, dot));
      }
      return defineClass(name, bytes, 0, bytes.length, about.domain());
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    } catch (ClassFormatError e) {
      // Some of the JVM's texts do not even name the class.
      ClassFormatError named = new ClassFormatError(path + " in " + jar + " is damaged: " + e.getMessage()
          + "; hint: copy the jar again, or see what `fatagent verify` says of it");
      named.initCause(e);
      throw named;
    }
  }

  private void define(String pack) {
    String[] says = about.ofNew(pack);
    if (says == null) {
      return;
    }
    try {
      definePackage(pack, says[0], says[1], says[2], says[3], says[4], says[5], about.seal(pack));
    } catch (IllegalArgumentException e) {
      // Another thread was faster; on Java 8 also: a parent has the package.
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    Class<?> common = DEBUG ? null : MaskedJarUtils.common(name);
    if (common != null) {
      return common;
    }
    if (ownFirst && isFile(ROOT + section + '/' + name.replace('.', '/') + ".classdata")) {
      synchronized (getClassLoadingLock(name)) {
        Class<?> own = findLoadedClass(name);
        return own != null ? own : findClass(name);
      }
    }
    Class<?> found = super.loadClass(name, resolve);
    if (DEBUG && found.getClassLoader() != this) {
      debug("class ", name, "parent");
    }
    return found;
  }

  @Override
  public URL getResource(String name) {
    URL own = findResource(name);
    return own != null ? own : super.getResource(name);
  }

  @Override
  protected URL findResource(String name) {
    String path = locate(name);
    // A name without a dot may be that of a folder.
    if (path == null && about != null && name.indexOf('.') < 0 && isFolder(ROOT + section + '/' + name)) {
      path = ROOT + section + '/' + name;
    }
    debug("resource ", name, path == null ? "not found" : path);
    return path == null ? null : url(path);
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    Vector<URL> all = new Vector<URL>();
    String own = place(masked(name), section);
    String shared = section.equals("shared") ? null : place(masked(name), "shared");
    for (String found : new String[] {own, shared, isFile(name) ? name : null}) {
      if (found != null) {
        all.add(url(found));
      }
    }
    return all.isEmpty() ? Collections.<URL>emptyEnumeration() : all.elements();
  }

  @Override
  public InputStream getResourceAsStream(String name) {
    String path = locate(name);
    if (path == null) {
      return super.getResourceAsStream(name);
    }
    try {
      byte[] bytes = MaskedJarUtils.read(zip, path);
      return bytes == null ? null : new ByteArrayInputStream(bytes);
    } catch (IOException e) {
      debug("resource ", name, e.toString());
      return null;
    }
  }

  /** Where a resource is: in a section, else at the root; or null. */
  private String locate(String name) {
    String found = place(masked(name));
    return found != null ? found : isFile(name) ? name : null;
  }

  /** The name that a resource has in a section. */
  private static String masked(String name) {
    return name.endsWith(".class") ? name + "data" : name;
  }

  /** Where a file is in the section or in shared, the newest copy first; or null. */
  private String place(String name) {
    for (String version : versions) {
      String path = ROOT + section + '/' + version + name;
      if (isFile(path)) {
        return path;
      }
      path = ROOT + "shared/" + version + name;
      if (isFile(path)) {
        return path;
      }
    }
    String path = ROOT + section + '/' + name;
    if (isFile(path)) {
      return path;
    }
    path = ROOT + "shared/" + name;
    return isFile(path) ? path : null;
  }

  private String place(String name, String folder) {
    for (String version : versions) {
      String path = ROOT + folder + '/' + version + name;
      if (isFile(path)) {
        return path;
      }
    }
    String path = ROOT + folder + '/' + name;
    return isFile(path) ? path : null;
  }

  private boolean isFile(String path) {
    return !path.endsWith("/") && zip.getEntry(path) != null;
  }

  /** Ordinary jars list their folders, and some agents ask for one to find their jar. */
  private synchronized boolean isFolder(String path) {
    if (folders == null) {
      folders = new HashSet<String>();
      for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
        String name = all.nextElement().getName();
        for (int end = name.lastIndexOf('/'); end > 0 && folders.add(name.substring(0, end)); ) {
          end = name.lastIndexOf('/', end - 1);
        }
      }
    }
    return folders.contains(path);
  }

  private URL url(String path) {
    try {
      // File.toURI escapes what the jar protocol handler unescapes; entry names may hold the same characters.
      return new URL("jar:" + new java.io.File(jar).toURI() + "!/" + escape(path));
    } catch (MalformedURLException e) {
      debug("resource ", path, e.toString());
      return null;
    }
  }

  private static String escape(String path) {
    StringBuilder out = null;
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      boolean odd = c == '%' || c == '#' || c == '?' || c == ' ';
      if (odd && out == null) {
        out = new StringBuilder(path.length() + 8).append(path, 0, i);
      }
      if (odd) {
        out.append('%').append(Integer.toHexString(c));
      } else if (out != null) {
        out.append(c);
      }
    }
    return out == null ? path : out.toString();
  }

  private void debug(String what, String name, String decision) {
    if (DEBUG) {
      System.err.println("[BTrace Boot] " + section + ": " + what + name + " -> " + decision);
    }
  }
}
