package io.btrace.core;

/** Turns objects into text without ever running a class of the application. */
final class SafeText {
  /**
   * Packages of which every class defined by the bootstrap loader has a {@code toString()} that calls nothing but the
   * JDK. Packages with containers, wrappers or handlers ({@code java.util}, {@code java.net.URL}) are not among them,
   * because their text can be made by the application's objects inside.
   */
  private static final String[] PACKAGES = {"java.lang.", "java.math.", "java.time."};

  /** Single classes of other packages, for the same reason. */
  private static final String[] CLASSES = {
    "java.io.File",
    "java.net.Inet4Address",
    "java.net.Inet6Address",
    "java.net.InetSocketAddress",
    "java.net.URI",
    "java.util.BitSet",
    "java.util.Currency",
    "java.util.Date",
    "java.util.Locale",
    "java.util.UUID",
    "java.util.concurrent.TimeUnit",
    "java.util.concurrent.atomic.AtomicBoolean",
    "java.util.concurrent.atomic.AtomicInteger",
    "java.util.concurrent.atomic.AtomicLong",
  };

  private SafeText() {}

  /** Returns the text of a value that is not null; never null itself. */
  static String of(Object value) {
    Class<?> type = value.getClass();
    if (isSelfContained(type)) {
      try {
        String text = value.toString();
        if (text != null) {
          return text;
        }
      } catch (RuntimeException e) {
        // Such as a StringBuilder changed by another thread meanwhile: the identity below is still true.
      }
    }
    return identity(value);
  }

  private static boolean isSelfContained(Class<?> type) {
    // The loader is asked first: a name alone proves nothing.
    if (type.getClassLoader() != null || type.isArray()) {
      return false;
    }
    String name = type.getName();
    for (int i = 0; i < PACKAGES.length; i++) {
      if (name.startsWith(PACKAGES[i])) {
        return true;
      }
    }
    for (int i = 0; i < CLASSES.length; i++) {
      if (name.equals(CLASSES[i])) {
        return true;
      }
    }
    return false;
  }

  private static String identity(Object value) {
    return value.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(value));
  }
}
