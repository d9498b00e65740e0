package io.btrace.agent;

import io.btrace.boot.MaskedJarUtils;
import io.btrace.core.extensions.RuntimeEnvironment;
import java.io.File;
import java.io.IOException;

/** What can be seen of the JVM without loading a class of the application. */
final class Environment implements RuntimeEnvironment {
  /** What the launcher was asked to run, with its arguments; the JVM's own. */
  private static final String COMMAND = "sun.java.command";

  /** Looked for as a file: a class that is loaded before it is woven would have to be woven again. */
  @Override
  public boolean hasClass(String className) {
    ClassLoader loader = getClassLoader();
    String file = className.replace('.', '/') + ".class";
    return (loader == null ? ClassLoader.getSystemResource(file) : loader.getResource(file)) != null;
  }

  @Override
  public String getSystemProperty(String key) {
    return System.getProperty(key);
  }

  @Override
  public String getSystemProperty(String key, String fallback) {
    return System.getProperty(key, fallback);
  }

  @Override
  public String getEnv(String name) {
    return System.getenv(name);
  }

  @Override
  public ClassLoader getClassLoader() {
    return ClassLoader.getSystemClassLoader();
  }

  @Override
  public String getMainClassName() {
    String command = System.getProperty(COMMAND);
    if (command == null || command.isEmpty()) {
      return null;
    }
    // A jar, whose path may hold blanks.
    for (int end = command.indexOf(' '); ; end = command.indexOf(' ', end + 1)) {
      String file = end < 0 ? command : command.substring(0, end);
      if (file.endsWith(".jar") && new File(file).isFile()) {
        try {
          return MaskedJarUtils.attribute(MaskedJarUtils.manifest(file), "Main-Class");
        } catch (IOException e) {
          return null;
        }
      }
      if (end < 0) {
        break;
      }
    }
    int blank = command.indexOf(' ');
    String first = blank < 0 ? command : command.substring(0, blank);
    // A module, and the class in it.
    return first.substring(first.indexOf('/') + 1);
  }
}
