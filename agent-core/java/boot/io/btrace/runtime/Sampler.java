package io.btrace.runtime;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Decides which events of a handler are taken. */
abstract class Sampler {
  private Sampler() {}

  abstract boolean takes();

  /** A sampler of a kind: {@code c} for constant, {@code a} for adaptive; null if every event is taken. */
  static Sampler of(String kind, int mean) {
    if (kind.equals("a")) {
      return new Adaptive(mean);
    }
    return kind.equals("c") && mean > 1 ? new Constant(mean) : null;
  }

  /**
   * Takes each event with a chance of one in {@code mean}, whatever was taken before: no rhythm of the application can
   * agree with it, and short-lived threads count like all others.
   */
  private static final class Constant extends Sampler {
    private final int mean;

    Constant(int mean) {
      this.mean = mean;
    }

    @Override
    boolean takes() {
      return ThreadLocalRandom.current().nextInt(mean) == 0;
    }
  }

  /**
   * Takes at most one event every {@code mean} nanoseconds, over all threads. The clock is asked about few of the others:
   * events that come too early make the sampler look at fewer, and those that come late at more.
   */
  private static final class Adaptive extends Sampler {
    private static final int LARGEST = 1 << 16;

    private final long mean;
    private final AtomicLong next = new AtomicLong(System.nanoTime());
    /** One of this many events looks at the clock. Writes that get lost between threads only delay the adaption. */
    private volatile int interval = 1;

    Adaptive(int mean) {
      this.mean = mean;
    }

    @Override
    boolean takes() {
      int n = interval;
      if (n > 1 && ThreadLocalRandom.current().nextInt(n) != 0) {
        return false;
      }
      long now = System.nanoTime();
      long due = next.get();
      if (now - due < 0) {
        if (n < LARGEST) {
          interval = n * 2;
        }
        return false;
      }
      if (!next.compareAndSet(due, now + mean)) {
        return false;
      }
      // Long overdue: too few events look at the clock.
      if (n > 1 && now - due > mean / 4) {
        interval = n / 2;
      }
      return true;
    }
  }
}
