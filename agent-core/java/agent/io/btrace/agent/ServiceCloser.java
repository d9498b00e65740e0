package io.btrace.agent;

import java.util.List;

/** Closes services one after the other. */
final class ServiceCloser extends Limited {
  private final List<Object> services;

  ServiceCloser(List<Object> services) {
    super("closing", 0);
    this.services = services;
  }

  @Override
  void work() {
    for (Object service : services) {
      close(service);
    }
  }

  static void close(Object service) {
    if (service instanceof AutoCloseable) {
      try {
        ((AutoCloseable) service).close();
      } catch (Throwable t) {
        // An extension that cannot close must not keep the others, or the detaching, from ending.
      }
    }
  }
}
