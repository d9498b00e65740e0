package vitals.environment;

import vitals.Vital;

/** Variables of the environment. */
public final class Environment implements Vital {
  @Override
  public long value() {
    return System.getenv().size();
  }
}
