package demo.metrics;

import io.btrace.core.extensions.ServiceDescriptor;

/** Counts and measures calls. Safe for several threads at once. */
@ServiceDescriptor
public interface OrderMetrics {
  /** Counts a call and returns how many there were of this method, this one included. */
  long enter(String method);

  /** Adds the duration of a call that returned, in nanoseconds. */
  void record(String method, long nanos);

  /** Returns one line with the calls entered, and the calls and mean time of each method that returned. */
  String summary();
}
