package io.btrace.boot;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

/**
 * Loads the core on Java 24 and newer without a restricted-method warning and without enabling native access for
 * anybody else: the loader's own package is exported to our module alone, by the instrumentation that the JVM gave us.
 *
 * <p>The one class of the shim that is not Java 8: it is linked on Java 24 and newer only.
 */
final class NativeLoader24 implements NativeLoader.Opener {
  static {
    NativeLoader.opener = new NativeLoader24();
  }

  private NativeLoader24() {}

  @Override
  public boolean open(Instrumentation instrumentation, File library) {
    Module mine = NativeLoader24.class.getModule();
    Map<String, Set<Module>> exports =
        Collections.singletonMap("jdk.internal.loader", Collections.singleton(mine));
    instrumentation.redefineModule(
        Object.class.getModule(),
        Collections.<Module>emptySet(),
        exports,
        Collections.<String, Set<Module>>emptyMap(),
        Collections.<Class<?>>emptySet(),
        Collections.<Class<?>, java.util.List<Class<?>>>emptyMap());
    return jdk.internal.loader.BootLoader.getNativeLibraries().loadLibrary(NativeLoader24.class, library) != null;
  }
}
