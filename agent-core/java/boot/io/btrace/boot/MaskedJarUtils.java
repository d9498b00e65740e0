package io.btrace.boot;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UnsupportedEncodingException;
import java.net.URL;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Reads masked jars: jars that hold the directory entry {@code META-INF/btrace/shared/}. */
public final class MaskedJarUtils {
  private MaskedJarUtils() {}

  /** Whether the jar at this path is masked. */
  public static boolean isMasked(String jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar)) {
      return zip.getEntry("META-INF/btrace/shared/") != null;
    }
  }

  /** The manifest's bytes. */
  public static byte[] manifest(String jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar)) {
      byte[] bytes = read(zip, "META-INF/MANIFEST.MF");
      if (bytes == null) {
        throw new IOException(jar + " has no manifest");
      }
      return bytes;
    }
  }

  /**
   * A class that every loader has from the bootstrap loader, found without the steps of {@code ClassLoader.loadClass}, or null.
   * The JVM asks a loader for each class that one of its own names, and only interprets what answers while it starts.
   */
  public static Class<?> common(String name) {
    if (!name.startsWith("java.lang.") && !name.startsWith("java.util.") && !name.startsWith("java.io.")) {
      return null;
    }
    try {
      return Class.forName(name, false, null);
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  /** An entry's bytes, or null when there is none; a short read is an error, never a zero-padded array. */
  public static byte[] read(ZipFile zip, String name) throws IOException {
    ZipEntry entry = zip.getEntry(name);
    if (entry == null || entry.isDirectory()) {
      return null;
    }
    long size = entry.getSize();
    try (InputStream in = zip.getInputStream(entry)) {
      if (size < 0 || size > Integer.MAX_VALUE - 8) {
        throw new IOException(name + " in " + zip.getName() + " has an unusable size: " + size);
      }
      byte[] bytes = new byte[(int) size];
      int at = 0;
      while (at < bytes.length) {
        int got = in.read(bytes, at, bytes.length - at);
        if (got < 0) {
          throw new EOFException(name + " in " + zip.getName() + " ends after " + at + " of " + size + " bytes");
        }
        at += got;
      }
      return bytes;
    }
  }

  /**
   * A main attribute of a manifest, or null. Reads the raw bytes: {@code java.util.jar.Manifest} would load a dozen
   * classes that an application may never need.
   */
  public static String attribute(byte[] manifest, String name) {
    int at = 0;
    while (at < manifest.length && manifest[at] != '\r' && manifest[at] != '\n') {
      ByteArrayOutputStream line = new ByteArrayOutputStream(80);
      at = line(manifest, at, line);
      while (at < manifest.length && manifest[at] == ' ') {
        at = line(manifest, at + 1, line);
      }
      String text = utf8(line.toByteArray());
      int colon = text.indexOf(": ");
      if (colon == name.length() && text.regionMatches(true, 0, name, 0, colon)) {
        return text.substring(colon + 2);
      }
    }
    return null;
  }

  private static int line(byte[] bytes, int from, ByteArrayOutputStream to) {
    int end = from;
    while (end < bytes.length && bytes[end] != '\r' && bytes[end] != '\n') {
      end++;
    }
    to.write(bytes, from, end - from);
    if (end < bytes.length && bytes[end] == '\r') {
      end++;
    }
    if (end < bytes.length && bytes[end] == '\n') {
      end++;
    }
    return end;
  }

  /** Absolute path of the jar that a class of ours was loaded from. */
  static String jarOf(Class<?> type) {
    String resource = type.getName().replace('.', '/') + ".class";
    ClassLoader loader = type.getClassLoader();
    URL url = loader == null ? ClassLoader.getSystemResource(resource) : loader.getResource(resource);
    String path = url == null ? null : jarPath(url.toString());
    if (path == null) {
      throw new IllegalStateException("cannot tell which jar holds " + resource + ": " + url);
    }
    return new java.io.File(path).getAbsolutePath();
  }

  /** The file path in a {@code jar:file:…!/…} address, or null when it is none. */
  static String jarPath(String url) {
    int end = url.indexOf("!/");
    if (!url.startsWith("jar:file:") || end < 0) {
      return null;
    }
    byte[] raw = new byte[end];
    int n = 0;
    for (int i = "jar:file:".length(); i < end; i++) {
      char c = url.charAt(i);
      if (c == '%' && i + 2 < end) {
        raw[n++] = (byte) Integer.parseInt(url.substring(i + 1, i + 3), 16);
        i += 2;
      } else if (c < 0x80) {
        raw[n++] = (byte) c;
      } else {
        // An unescaped character: keep its UTF-8 form.
        byte[] more = bytes(String.valueOf(c));
        if (n + more.length > raw.length - i) {
          byte[] larger = new byte[raw.length * 3 + more.length];
          System.arraycopy(raw, 0, larger, 0, n);
          raw = larger;
        }
        System.arraycopy(more, 0, raw, n, more.length);
        n += more.length;
      }
    }
    byte[] exact = new byte[n];
    System.arraycopy(raw, 0, exact, 0, n);
    return utf8(exact);
  }

  /** The running Java's feature number: 8, 11, 17 … */
  static int feature() {
    String version = System.getProperty("java.specification.version", "8");
    String number = version.startsWith("1.") ? version.substring(2) : version;
    try {
      return Integer.parseInt(number);
    } catch (NumberFormatException e) {
      return 8;
    }
  }

  static String utf8(byte[] bytes) {
    try {
      return new String(bytes, "UTF-8");
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] bytes(String text) {
    try {
      return text.getBytes("UTF-8");
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException(e);
    }
  }
}
