package classcount;

import java.io.File;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;

/** Loads the agent from its section. A bootstrap class, so that there is one of it however often the agent is started. */
public final class Boot {
  private static boolean started;

  private Boot() {}

  public static synchronized void start(File jar, String prefix, Instrumentation instrumentation) throws Exception {
    if (started) {
      return;
    }
    started = true;
    Class<?> main = new InstLoader(jar).loadClass("classcount.agent.ClassCount");
    String counted = prefix == null ? "" : prefix;
    instrumentation.addTransformer((ClassFileTransformer) main.getConstructor(String.class).newInstance(counted));
  }
}
