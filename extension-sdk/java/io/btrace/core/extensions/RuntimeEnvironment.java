package io.btrace.core.extensions;

/** What a configurator can find out about the JVM in which the agent starts. */
public interface RuntimeEnvironment {
  /**
   * Returns whether the application has a class. The class is looked up but not initialized.
   *
   * @param className a dotted name
   */
  boolean hasClass(String className);

  /**
   * Returns a system property.
   *
   * @return null when it is not set
   */
  String getSystemProperty(String key);

  /**
   * Returns a system property.
   *
   * @param fallback what is returned when it is not set; may be null
   */
  String getSystemProperty(String key, String fallback);

  /**
   * Returns a variable of the process's environment.
   *
   * @return null when it is not set
   */
  String getEnv(String name);

  /**
   * Returns the application's class loader.
   *
   * @return null when there is none yet
   */
  ClassLoader getClassLoader();

  /**
   * Returns the dotted name of the class whose main method the JVM runs.
   *
   * @return null when it is not known
   */
  String getMainClassName();
}
