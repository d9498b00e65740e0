package io.btrace.agent;

import io.btrace.boot.AgentMain;
import io.btrace.boot.Loader;
import io.btrace.boot.MaskedClassLoader;
import io.btrace.boot.NativeCore;
import io.btrace.boot.NativeLoader;
import io.btrace.extension.ExtensionBridge;
import java.lang.instrument.Instrumentation;

/** The masked agent main class: starts the native core and holds the way to extensions. */
public final class Main implements AgentMain {
  static {
    Loader.register(new Main());
  }

  private final MaskedClassLoader loader = (MaskedClassLoader) Main.class.getClassLoader();

  private Main() {}

  @Override
  public void start(String jar, String arguments, int mode, Instrumentation instrumentation) throws Exception {
    if (mode != Loader.AGENTPATH) {
      NativeLoader.load(loader.jar(), instrumentation);
    }
    String problem = NativeCore.start(jar, arguments, mode);
    if (problem != null) {
      throw new IllegalStateException(problem);
    }
  }

  @Override
  public void again(String arguments, int mode) {
    String problem = NativeCore.again(arguments, mode);
    if (problem != null) {
      System.err.println("[fatagent] " + problem);
    }
  }

  @Override
  public ExtensionBridge extensions() {
    NativeCore.preload(loader);
    return new ExtensionBridgeImpl(loader);
  }
}
