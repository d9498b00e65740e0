package vitals.properties;

import vitals.Vital;

/** System properties. */
public final class Properties implements Vital {
  @Override
  public long value() {
    return System.getProperties().size();
  }
}
