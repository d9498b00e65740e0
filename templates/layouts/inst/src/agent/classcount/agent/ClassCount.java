package classcount.agent;

import classcount.Report;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the classes whose name begins with a prefix, and hands the number to every {@link Report} when the JVM ends. */
public final class ClassCount extends Thread implements ClassFileTransformer {
  private final String prefix;
  private final String internalPrefix;
  private final AtomicInteger classes = new AtomicInteger();

  public ClassCount(String prefix) {
    super("class-count");
    this.prefix = prefix;
    internalPrefix = prefix.replace('.', '/');
    // Services are looked up through this.
    setContextClassLoader(ClassCount.class.getClassLoader());
    Runtime.getRuntime().addShutdownHook(this);
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
    if (redefined == null && name != null && name.startsWith(internalPrefix)) {
      classes.incrementAndGet();
    }
    return null;
  }

  @Override
  public void run() {
    for (Report report : ServiceLoader.load(Report.class)) {
      report.counted(prefix, classes.get());
    }
  }
}
