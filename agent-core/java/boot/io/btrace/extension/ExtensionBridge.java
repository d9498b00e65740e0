package io.btrace.extension;

/** The way from the bootstrap side to extensions, whose classes it cannot see. */
public interface ExtensionBridge {
  /** The class that implements a service, loaded by its extension's own loader. */
  Class<?> getExtensionClass(String serviceClassName) throws Exception;

  /**
   * Gives a new service instance its context, if it is an {@code Extension}.
   *
   * @param instance the service
   * @param probeClassName dotted name of the probe that uses it
   */
  void initialize(Object instance, String serviceClassName, String probeClassName) throws Exception;
}
