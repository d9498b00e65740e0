package vitals.report;

import vitals.Vital;
import vitals.text.Text;
import java.util.Locale;
import java.util.ServiceLoader;

/** Finds the vitals of all sections when the JVM ends, and writes one line of each on standard error. */
public final class Main extends Thread {
  public Main() {
    super("vitals");
    Runtime.getRuntime().addShutdownHook(this);
  }

  @Override
  public void run() {
    for (Vital vital : ServiceLoader.load(Vital.class, Main.class.getClassLoader())) {
      String name = vital.getClass().getSimpleName().toLowerCase(Locale.ROOT);
      System.err.println(Text.line(name, vital.value()));
    }
  }
}
