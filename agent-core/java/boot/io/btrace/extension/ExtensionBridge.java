package io.btrace.extension;

import java.util.List;

/** The way from the bootstrap side to extensions, whose classes it cannot see. */
public interface ExtensionBridge {
  /** The class that implements a service, loaded by its extension's own loader. */
  Class<?> getExtensionClass(String serviceClassName) throws Exception;

  /**
   * Makes an instance of a service and gives it its context. Ends within a few seconds, whatever the extension does.
   *
   * @param factoryMethod static method to call instead of a constructor, or empty
   * @param probe number of the probe that uses it
   * @param probeClassName dotted name of that probe
   * @return what {@link #close} takes
   * @throws IllegalStateException saying why there is none
   */
  Object open(String serviceClassName, String factoryMethod, int probe, String probeClassName) throws Exception;

  /**
   * Makes an object that stands in for a service.
   *
   * @param message what each call fails with; null where each does nothing and returns null, zero or false
   */
  Object standIn(Class<?> service, String message) throws Exception;

  /**
   * Lets the configurator of an extension choose probes. Ends within a few seconds, whatever it does.
   *
   * @param configurator dotted name of the class
   * @param arguments of the agent: names and values in turn
   * @return output, path or nothing, then for each probe its name, the number of its parameters, and their names and values;
   *     only the first two where it chooses none
   * @throws Exception saying why it did not choose
   */
  String[] configure(String extension, String configurator, String[] arguments) throws Exception;

  /**
   * Loads extensions before a probe asks for them, all at once. Ends within a few seconds, and throws nothing.
   *
   * @param extensions for each its id and its services, separated by blanks
   * @return for each that could not be loaded its id and why
   */
  String[] load(String[] extensions);

  /** Closes services that nobody uses any more. Ends within a few seconds, and throws nothing. */
  void close(List<Object> services);
}
