package io.btrace.boot;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarFile;

/**
 * Starts ordinary agent classes out of a masked jar, as the JVM starts them out of a plain one.
 *
 * <p>Several such agents may run in one JVM, beside the core of a fat agent too: each has a loader of its own, and none
 * of them is published. Only the bootstrap classes of one name are the first jar's for all.
 */
final class ForeignAgent {
  /** Absolute path and build id of each started jar to its loader: a second start finds the classes of the first. */
  private static final Map<String, MaskedClassLoader> LOADERS = new HashMap<String, MaskedClassLoader>();

  private ForeignAgent() {}

  /** Starts the agent. */
  static void start(String jar, byte[] manifest, int mode, String arguments, Instrumentation instrumentation)
      throws Throwable {
    String main = MaskedJarUtils.attribute(manifest, mode == Loader.AGENTMAIN ? "BTrace-Attach-Main" : "BTrace-Agent-Main");
    if (main == null) {
      main = MaskedJarUtils.attribute(manifest, "BTrace-Agent-Main");
    }
    if (main == null) {
      throw new IllegalStateException(jar + " names no BTrace-Agent-Main");
    }
    MaskedClassLoader loader = loader(jar, manifest, instrumentation);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      call(Class.forName(main, true, loader), mode == Loader.AGENTMAIN ? "agentmain" : "premain", arguments,
          instrumentation);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static MaskedClassLoader loader(String jar, byte[] manifest, Instrumentation instrumentation)
      throws IOException {
    String key = jar + " " + MaskedJarUtils.attribute(manifest, "BTrace-Build-Id");
    synchronized (LOADERS) {
      MaskedClassLoader loader = LOADERS.get(key);
      if (loader == null) {
        if (!isOnBootPath(jar, manifest)) {
          instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar));
        }
        String parent = MaskedJarUtils.attribute(manifest, "BTrace-Agent-Parent");
        loader = new MaskedClassLoader(jar, "agent", parent(parent));
        LOADERS.put(key, loader);
      }
      return loader;
    }
  }

  /** Calls the method with two arguments, or where there is none, that with one; the JVM has the same order. */
  private static void call(Class<?> main, String name, String arguments, Instrumentation instrumentation)
      throws Throwable {
    Method method = find(main, name, String.class, Instrumentation.class);
    Object[] values = {arguments, instrumentation};
    if (method == null) {
      method = find(main, name, String.class);
      values = new Object[] {arguments};
    }
    if (method == null) {
      throw new NoSuchMethodException(main.getName() + " has no method " + name);
    }
    method.setAccessible(true);
    try {
      method.invoke(null, values);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static Method find(Class<?> main, String name, Class<?>... types) {
    for (Class<?> type = main; type != null; type = type.getSuperclass()) {
      try {
        return type.getDeclaredMethod(name, types);
      } catch (NoSuchMethodException e) {
        // The superclass may have it.
      }
    }
    return null;
  }

  /** The JVM resolves Boot-Class-Path beside the jar that it really opened. */
  private static boolean isOnBootPath(String jar, byte[] manifest) throws IOException {
    return new File(jar).getCanonicalFile().getName().equals(MaskedJarUtils.attribute(manifest, "Boot-Class-Path"));
  }

  private static ClassLoader parent(String name) {
    if (name.equals("bootstrap")) {
      return null;
    }
    ClassLoader loader = ClassLoader.getSystemClassLoader();
    if (name.equals("system")) {
      return loader;
    }
    if (name.equals("platform")) {
      // The outermost one: the platform loader, and on Java 8 that of the extensions.
      while (loader.getParent() != null) {
        loader = loader.getParent();
      }
      return loader;
    }
    throw new IllegalStateException("BTrace-Agent-Parent is none of bootstrap, platform and system: " + name);
  }
}
