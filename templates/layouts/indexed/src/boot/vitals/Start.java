package vitals;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.jar.JarFile;

/**
 * Where the JVM enters. It is the only class that the system class loader defines: once the jar is on the bootstrap path,
 * that loader finds all the others there first, and so does everybody else.
 */
public final class Start {
  private Start() {}

  public static void premain(String arguments, Instrumentation instrumentation) {
    start(instrumentation);
  }

  public static void agentmain(String arguments, Instrumentation instrumentation) {
    start(instrumentation);
  }

  private static void start(Instrumentation instrumentation) {
    try {
      File jar = new File(Start.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar, false));
      Boot.start(jar, instrumentation);
    } catch (Throwable e) {
      // An agent never breaks its host.
      System.err.println("vitals are off: " + e);
    }
  }
}
