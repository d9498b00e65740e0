package io.btrace.client;

import io.btrace.boot.MaskedClassLoader;
import io.btrace.boot.NativeCore;
import io.btrace.boot.NativeLoader;

/** The masked client main class: {@code java -jar agent.jar …}, run by the native core. */
public final class Main {
  private Main() {}

  /** Loads the core and hands it the command line. */
  public static void main(String[] arguments) throws Exception {
    MaskedClassLoader loader = (MaskedClassLoader) Main.class.getClassLoader();
    int code;
    try {
      NativeLoader.load(loader.jar(), null);
      code = NativeCore.client(loader.jar().getName(), arguments);
    } catch (java.io.IOException e) {
      System.err.println("error: " + e.getMessage());
      code = 1;
    }
    System.exit(code);
  }
}
