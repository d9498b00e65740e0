package vitals.processors;

import vitals.Vital;

/** Processors that the JVM may use. */
public final class Processors implements Vital {
  @Override
  public long value() {
    return Runtime.getRuntime().availableProcessors();
  }
}
