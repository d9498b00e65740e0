package demo.metrics.impl;

import demo.metrics.OrderMetrics;
import io.btrace.core.extensions.Extension;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** Keeps the numbers in this extension, where the application cannot see or disturb them. */
public final class OrderMetricsImpl extends Extension implements OrderMetrics {
  private final ConcurrentMap<String, AtomicLong> entered = new ConcurrentHashMap<String, AtomicLong>();
  private final ConcurrentMap<String, Timing> timings = new ConcurrentSkipListMap<String, Timing>();

  @Override
  public long enter(String method) {
    AtomicLong count = entered.get(method);
    if (count == null) {
      AtomicLong fresh = new AtomicLong();
      AtomicLong other = entered.putIfAbsent(method, fresh);
      count = other == null ? fresh : other;
    }
    return count.incrementAndGet();
  }

  @Override
  public void record(String method, long nanos) {
    Timing timing = timings.get(method);
    if (timing == null) {
      Timing fresh = new Timing();
      Timing other = timings.putIfAbsent(method, fresh);
      timing = other == null ? fresh : other;
    }
    timing.add(nanos);
  }

  @Override
  public String summary() {
    StringBuilder line = new StringBuilder("totals:");
    for (Map.Entry<String, AtomicLong> entry : entered.entrySet()) {
      line.append(' ').append(entry.getKey()).append(" entered ").append(entry.getValue().get()).append(" times;");
    }
    for (Map.Entry<String, Timing> entry : timings.entrySet()) {
      line.append(' ').append(entry.getKey()).append(' ').append(entry.getValue()).append(';');
    }
    return line.substring(0, line.length() - 1);
  }

  /** Calls and their time. */
  private static final class Timing {
    private long calls;
    private long nanos;

    synchronized void add(long duration) {
      calls++;
      nanos += duration;
    }

    @Override
    public synchronized String toString() {
      return calls + " x " + nanos / calls / 1000000L + " ms";
    }
  }
}
