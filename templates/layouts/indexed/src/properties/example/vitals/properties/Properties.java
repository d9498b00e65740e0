package example.vitals.properties;

import example.vitals.Vital;

/** System properties. */
public final class Properties implements Vital {
  @Override
  public long value() {
    return System.getProperties().size();
  }
}
