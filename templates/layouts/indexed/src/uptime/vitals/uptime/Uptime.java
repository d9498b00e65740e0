package vitals.uptime;

import vitals.Boot;
import vitals.Vital;

/** Milliseconds since the agent was started. */
public final class Uptime implements Vital {
  @Override
  public long value() {
    return (System.nanoTime() - Boot.started()) / 1_000_000;
  }
}
