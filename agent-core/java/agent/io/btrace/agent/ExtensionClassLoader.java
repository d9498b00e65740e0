package io.btrace.agent;

import io.btrace.boot.MaskedJarUtils;
import io.btrace.boot.NativeCore;
import io.btrace.boot.NativeLoader;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Loads the implementation of one extension. Where the bytes come from, which classes there are and which copy of one is for
 * the running Java, is the core's to know.
 *
 * <p>Classes: parent first, then the extension's own, then those of extensions that it requires. Files: its own first.
 */
final class ExtensionClassLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private static final boolean DEBUG = Boolean.getBoolean("btrace.boot.debug");

  private final String id;
  private final String location;
  /** Of all classes: their code source is the file. */
  private final ProtectionDomain domain;
  private final ExtensionClassLoader[] required;
  /** Packages of which there are classes, and whether they are sealed. */
  private final ConcurrentHashMap<String, Boolean> packages = new ConcurrentHashMap<String, Boolean>();
  /** Where native libraries were put. The JVM asks again for one that it has loaded. */
  private final HashMap<String, String> libraries = new HashMap<String, String>();

  /** @param location the file that the extension lies in */
  ExtensionClassLoader(String id, String location, ExtensionClassLoader[] required, ClassLoader parent)
      throws IOException {
    super(parent);
    this.id = id;
    this.location = location;
    this.required = required;
    this.domain = new ProtectionDomain(new CodeSource(address(location), (Certificate[]) null), null);
  }

  /** The address of a file. What a URI does about odd characters is only done where there are some: it takes long at first. */
  private static URL address(String path) throws MalformedURLException {
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '-' && c <= '9' || c == '_') || path.charAt(0) != '/' || path.startsWith("//")) {
        return new File(path).toURI().toURL();
      }
    }
    return new URL("file", "", path);
  }

  String id() {
    return id;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    Class<?> common = MaskedJarUtils.common(name);
    return common != null ? common : super.loadClass(name, resolve);
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    Class<?> own = own(name);
    for (int i = 0; own == null && i < required.length; i++) {
      own = required[i].own(name);
    }
    if (own == null) {
      throw new ClassNotFoundException(name + " is not in extension " + id);
    }
    return own;
  }

  /** A class of this extension alone, or null. */
  private Class<?> own(String name) {
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known != null) {
        return known.getClassLoader() == this ? known : null;
      }
      byte[] bytes = NativeCore.extensionClass(id, name);
      if (bytes == null) {
        return null;
      }
      if (DEBUG) {
        System.err.println("[BTrace Boot] " + id + ": class " + name);
      }
      int dot = name.lastIndexOf('.');
      if (dot > 0) {
        define(name.substring(0, dot));
      }
      return defineClass(name, bytes, 0, bytes.length, domain);
    }
  }

  /**
   * Describes a package before the first of its classes.
   *
   * @throws SecurityException as any loader of jars does, here for all extensions that this one sees: a sealed package has no
   *     classes but those of the extension that seals it
   */
  private void define(String pack) {
    Boolean known = packages.get(pack);
    String[] says = known == null ? NativeCore.extensionPackage(id, pack) : null;
    boolean seals = known != null ? known : says != null && "=true".equalsIgnoreCase(says[6]);
    for (ExtensionClassLoader other : required) {
      Boolean isSealed = other.packages.get(pack);
      if (isSealed != null && (isSealed || seals)) {
        throw new SecurityException("sealing violation: " + (isSealed
            ? "package " + pack + " is sealed by extension " + other.id
            : "extension " + id + " cannot seal package " + pack + ", of which extension " + other.id + " has loaded classes"));
      }
    }
    if (says == null) {
      return;
    }
    for (int i = 0; i < says.length; i++) {
      says[i] = says[i].isEmpty() ? null : says[i].substring(1);
    }
    packages.put(pack, seals);
    try {
      definePackage(pack, says[0], says[1], says[2], says[3], says[4], says[5],
          seals ? domain.getCodeSource().getLocation() : null);
    } catch (IllegalArgumentException e) {
      // Another thread was faster; on Java 8 also: a parent has the package.
    }
  }

  /** Of this extension alone; the JVM then looks in its own folders. */
  @Override
  protected String findLibrary(String name) {
    synchronized (libraries) {
      String known = libraries.get(name);
      if (known == null) {
        String[] found =
            NativeCore.extensionLibrary(id, System.mapLibraryName(name), NativeLoader.target(), NativeLoader.folders());
        if (found == null) {
          return null;
        }
        for (int i = 1; i < found.length; i++) {
          new File(found[i]).deleteOnExit();
        }
        // The JVM takes no other; what is configured may be relative.
        known = new File(found[0]).getAbsolutePath();
        libraries.put(name, known);
      }
      return known;
    }
  }

  @Override
  public URL getResource(String name) {
    URL own = findResource(name);
    return own != null ? own : getParent().getResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    Vector<URL> all = new Vector<URL>();
    URL own = findResource(name);
    if (own != null) {
      all.add(own);
    }
    for (Enumeration<URL> more = getParent().getResources(name); more.hasMoreElements(); ) {
      all.add(more.nextElement());
    }
    return all.elements();
  }

  @Override
  protected URL findResource(String name) {
    String entry = NativeCore.extensionAddress(id, name);
    return entry == null ? null : ExtensionFile.url(id, name, new File(location), entry);
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    Vector<URL> all = new Vector<URL>();
    URL own = findResource(name);
    if (own != null) {
      all.add(own);
    }
    return all.elements();
  }

  @Override
  public InputStream getResourceAsStream(String name) {
    try {
      byte[] own = NativeCore.extensionFile(id, name);
      return own != null ? new ByteArrayInputStream(own) : getParent().getResourceAsStream(name);
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public String toString() {
    return "extension " + id;
  }
}
