package io.btrace.boot;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Vector;
import java.util.zip.ZipFile;

/**
 * Loads the {@code .classdata} of one section of a masked jar.
 *
 * <p>Classes: parent first, then the section, then {@code shared}. Resources: section, shared, then the jar's root. The
 * agent section's parent is null (the bootstrap loader), the client section's is the system class loader.
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
  }

  /** The jar this loader reads, left open for as long as the loader lives. */
  public ZipFile jar() {
    return zip;
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    String path = name.replace('.', '/') + ".classdata";
    try {
      String folder = section;
      byte[] bytes = MaskedJarUtils.read(zip, ROOT + section + '/' + path);
      if (bytes == null) {
        folder = "shared";
        bytes = MaskedJarUtils.read(zip, ROOT + "shared/" + path);
      }
      if (bytes == null) {
        debug("class ", name, "not found");
        throw new ClassNotFoundException(name + " is in neither " + section + " nor shared of " + jar);
      }
      debug("class ", name, folder);
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
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
    debug("resource ", name, path == null ? "not found" : path);
    return path == null ? null : url(path);
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    Vector<URL> all = new Vector<URL>();
    String[] places = {ROOT + section + '/' + name, ROOT + "shared/" + name, name};
    for (String place : places) {
      URL found = isFile(place) ? url(place) : null;
      if (found != null) {
        all.add(found);
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

  private String locate(String name) {
    String own = ROOT + section + '/' + name;
    if (isFile(own)) {
      return own;
    }
    String shared = ROOT + "shared/" + name;
    return isFile(shared) ? shared : isFile(name) ? name : null;
  }

  private boolean isFile(String path) {
    return !path.endsWith("/") && zip.getEntry(path) != null;
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
