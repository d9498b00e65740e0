package vitals.threads;

import vitals.Vital;

/** Live threads. */
public final class Threads implements Vital {
  @Override
  public long value() {
    return Thread.getAllStackTraces().size();
  }
}
