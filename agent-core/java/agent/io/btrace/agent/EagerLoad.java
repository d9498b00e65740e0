package io.btrace.agent;

/** Loads and initializes what implements the services of one extension, before any probe asks for them. */
final class EagerLoad extends Limited {
  private final ExtensionBridgeImpl bridge;
  private final String id;
  private final String[] idAndServices;

  EagerLoad(ExtensionBridgeImpl bridge, String[] idAndServices) {
    super("load of extension " + idAndServices[0], 0);
    this.bridge = bridge;
    this.id = idAndServices[0];
    this.idAndServices = idAndServices;
  }

  String id() {
    return id;
  }

  @Override
  void work() throws Throwable {
    try {
      bridge.loadImplementations(idAndServices);
    } catch (ExceptionInInitializerError e) {
      throw e.getCause() != null ? e.getCause() : e;
    }
  }
}
