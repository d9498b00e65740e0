package vitals;

import java.io.File;
import java.lang.instrument.Instrumentation;

/** Starts the sections, and holds what they have in common. */
public final class Boot {
  private static Instrumentation instrumentation;
  private static long started;

  private Boot() {}

  public static synchronized void start(File jar, Instrumentation given) throws Exception {
    if (instrumentation != null) {
      return;
    }
    instrumentation = given;
    started = System.nanoTime();
    new SectionsLoader(jar).loadClass("vitals.report.Main").getConstructor().newInstance();
  }

  public static synchronized Instrumentation instrumentation() {
    return instrumentation;
  }

  /** When the agent was started, as {@link System#nanoTime} has it. */
  public static synchronized long started() {
    return started;
  }
}
