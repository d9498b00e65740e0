package io.btrace.agent;

import io.btrace.boot.MaskedJarUtils;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipFile;

/** Loads one embedded extension from the {@code .classdata} that its classes.index names. */
final class ExtensionClassLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private static final boolean DEBUG = Boolean.getBoolean("btrace.boot.debug");
  private static final String MAGIC = "fatagent-classes 1";

  private final ZipFile zip;
  private final String id;
  private final String folder;
  /** Class name to path and hash. */
  private final Map<String, String[]> index = new HashMap<String, String[]>();

  ExtensionClassLoader(ZipFile zip, String id, ClassLoader parent) throws IOException {
    super(parent);
    this.zip = zip;
    this.id = id;
    this.folder = "META-INF/btrace-extensions/" + id + "/";
    String name = folder + "classes.index";
    byte[] bytes = MaskedJarUtils.read(zip, name);
    if (bytes == null) {
      throw new IOException(name + " is missing in " + zip.getName());
    }
    String[] lines = new String(bytes, "UTF-8").split("\n");
    if (!lines[0].equals(MAGIC)) {
      throw new IOException(name + " begins with " + lines[0] + " instead of " + MAGIC);
    }
    for (int i = 1; i < lines.length; i++) {
      String[] parts = lines[i].split("\t");
      if (parts.length != 3) {
        throw new IOException(name + " has a malformed line " + (i + 1));
      }
      index.put(parts[0], parts);
    }
  }

  String id() {
    return id;
  }

  /** A resource of the extension, or null. */
  byte[] resource(String name) throws IOException {
    return MaskedJarUtils.read(zip, folder + "resources/" + name);
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    String[] entry = index.get(name);
    if (entry == null) {
      throw new ClassNotFoundException(name + " is not in extension " + id);
    }
    try {
      byte[] bytes = MaskedJarUtils.read(zip, entry[1]);
      if (bytes == null || !entry[2].equals(sha256(bytes))) {
        throw new ClassFormatError(entry[1] + " in " + zip.getName() + (bytes == null ? " is missing" : " is damaged")
            + "; hint: run fatagent verify on the jar");
      }
      if (DEBUG) {
        System.err.println("[BTrace Boot] " + id + ": class " + name + " -> " + entry[1]);
      }
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  @Override
  protected URL findResource(String name) {
    String path = folder + "resources/" + name;
    if (zip.getEntry(path) == null) {
      return null;
    }
    try {
      return new URL("jar:" + new File(zip.getName()).toURI() + "!/" + path.replace("%", "%25").replace("#", "%23"));
    } catch (MalformedURLException e) {
      return null;
    }
  }

  /** The extension's own file, as ServiceLoader asks for it when a library looks for its parts. */
  @Override
  protected Enumeration<URL> findResources(String name) {
    URL own = findResource(name);
    return own == null ? Collections.<URL>emptyEnumeration() : Collections.enumeration(Collections.singleton(own));
  }

  @Override
  public InputStream getResourceAsStream(String name) {
    try {
      byte[] own = resource(name);
      return own != null ? new ByteArrayInputStream(own) : super.getResourceAsStream(name);
    } catch (IOException e) {
      return null;
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      StringBuilder hex = new StringBuilder(64);
      for (byte b : MessageDigest.getInstance("SHA-256").digest(bytes)) {
        hex.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
      }
      return hex.toString();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
