package io.btrace.runtime;

import io.btrace.boot.NativeCore;
import java.lang.invoke.MutableCallSite;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Turns a probe off for good that calls its handlers too often. The clock is asked only after each {@code most} events:
 * if they took less than a second, that was too many.
 */
final class EventLimit {
  private static final long SECOND = 1000000000L;

  private final Probe probe;
  private final int most;
  private final AtomicInteger events = new AtomicInteger();
  private long since = System.nanoTime();
  private boolean exceeded;

  EventLimit(Probe probe, int most) {
    this.probe = probe;
    this.most = most;
  }

  /** Whether one more handler call is allowed. */
  boolean permits() {
    return events.incrementAndGet() - most <= 0 || renews();
  }

  private synchronized boolean renews() {
    if (exceeded) {
      return false;
    }
    if (events.get() <= most) {
      // Another thread began the next count meanwhile.
      events.incrementAndGet();
      return true;
    }
    long now = System.nanoTime();
    if (now - since >= SECOND) {
      since = now;
      events.set(1);
      return true;
    }
    exceeded = true;
    MutableCallSite.syncAll(new MutableCallSite[] {probe.turnOff()});
    NativeCore.write(0, "probe " + probe.name + " is off: more than maxEventsPerSecond=" + most
        + " handler calls in one second; hint: narrow it, sample it, or raise the limit");
    return false;
  }
}
