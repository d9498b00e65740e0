package vitals.heap;

import vitals.Vital;

/** Bytes in use on the heap. */
public final class Heap implements Vital {
  @Override
  public long value() {
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
