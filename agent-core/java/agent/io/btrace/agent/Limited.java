package io.btrace.agent;

import io.btrace.runtime.BTraceRuntime;

/** Code of an extension on a thread of its own, so that whoever waits for it waits a few seconds at most. */
abstract class Limited extends Thread {
  /** How long an extension may take to begin, and how long extensions may take to end. */
  static final int SECONDS = 5;

  private final int probe;
  private Throwable failure;
  private boolean isAbandoned;
  private boolean isDone;

  /** @param probe number of the probe that it works for, or 0 */
  Limited(String what, int probe) {
    super("fatagent " + what);
    this.probe = probe;
    setDaemon(true);
  }

  /** What is to be done. */
  abstract void work() throws Throwable;

  /** What whoever waits can do until then. */
  void meanwhile() {}

  /** What was done after nobody waited any more. */
  void late() {}

  @Override
  public final void run() {
    try {
      // Woven code that it calls leaves handlers alone, and what it writes is the probe's.
      BTraceRuntime.Running running = BTraceRuntime.enter(probe);
      try {
        work();
      } finally {
        running.state = 0;
      }
    } catch (Throwable t) {
      failure = t;
    }
    synchronized (this) {
      if (!isAbandoned) {
        isDone = true;
        notifyAll();
        return;
      }
    }
    try {
      late();
    } catch (Throwable t) {
      // Nobody waits for it.
    }
  }

  /**
   * Starts, and waits for the end.
   *
   * @return whether it came in time
   * @throws Exception what the work threw, as an IllegalStateException where it is neither an exception nor an error
   */
  final boolean runInTime() throws Exception {
    start();
    long end = limit();
    try {
      meanwhile();
    } catch (Throwable t) {
      // Without it the rest takes longer. Whoever left now would leave behind what was begun.
    }
    return endsBy(end);
  }

  /** When work that starts now has to be done, by {@link System#nanoTime}. */
  static long limit() {
    return System.nanoTime() + SECONDS * 1000000000L;
  }

  /**
   * Waits for the end of what was started.
   *
   * @return whether it came in time
   * @throws Exception as {@link #runInTime}
   */
  final boolean endsBy(long end) throws Exception {
    boolean interrupted = false;
    synchronized (this) {
      for (long left = end - System.nanoTime(); !isDone && left > 0; left = end - System.nanoTime()) {
        try {
          wait(left / 1000000 + 1);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      isAbandoned = !isDone;
    }
    if (interrupted) {
      // The application's own business, which has to wait for so long.
      Thread.currentThread().interrupt();
    }
    if (isAbandoned) {
      // What only sleeps comes to its end.
      interrupt();
      return false;
    }
    if (failure instanceof Exception) {
      throw (Exception) failure;
    }
    if (failure instanceof Error) {
      throw (Error) failure;
    }
    if (failure != null) {
      throw new IllegalStateException(failure.toString(), failure);
    }
    return true;
  }
}
