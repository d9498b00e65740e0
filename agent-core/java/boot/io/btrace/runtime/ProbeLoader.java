package io.btrace.runtime;

/** The loader of one probe class: sees the bootstrap classes only, and goes away with its probe. */
final class ProbeLoader extends ClassLoader {
  ProbeLoader() {
    super(null);
  }

  Class<?> define(String name, byte[] bytes) {
    return defineClass(name, bytes, 0, bytes.length);
  }
}
