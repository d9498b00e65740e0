package example.vitals.classes;

import example.vitals.Boot;
import example.vitals.Vital;

/** Loaded classes. */
public final class Classes implements Vital {
  @Override
  public long value() {
    return Boot.instrumentation().getAllLoadedClasses().length;
  }
}
