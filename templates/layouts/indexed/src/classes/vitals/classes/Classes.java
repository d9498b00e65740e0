package vitals.classes;

import vitals.Boot;
import vitals.Vital;

/** Loaded classes. */
public final class Classes implements Vital {
  @Override
  public long value() {
    return Boot.instrumentation().getAllLoadedClasses().length;
  }
}
