package heartbeat;

import java.io.File;
import java.lang.instrument.Instrumentation;

/** Where the JVM enters. This class and the loader are all that the application sees of the agent. */
public final class Start {
  private static boolean started;

  private Start() {}

  public static void premain(String arguments, Instrumentation instrumentation) {
    start(arguments);
  }

  public static void agentmain(String arguments, Instrumentation instrumentation) {
    start(arguments);
  }

  private static synchronized void start(String milliseconds) {
    if (started) {
      return;
    }
    started = true;
    try {
      File jar = new File(Start.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Class<?> heartbeat = new EsclazzLoader(jar).loadClass("heartbeat.agent.Heartbeat");
      // What both sides know is a type of the JDK: the section does not see this class's loader.
      ((Thread) heartbeat.getConstructor(String.class).newInstance(milliseconds)).start();
    } catch (Throwable e) {
      // An agent never breaks its host.
      System.err.println("heartbeat is off: " + e);
    }
  }
}
