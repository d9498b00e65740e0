package io.btrace.runtime;

import io.btrace.boot.NativeCore;

/** What running handlers stand on: which probe they belong to, and its output. */
public final class BTraceRuntime {
  /** What one thread runs. */
  private static final class Running {
    /** The probe, or null. */
    Probe probe;
    /** How often another handler was kept from running since this one began. */
    int refused;
  }

  private static final ThreadLocal<Running> RUNNING = new ThreadLocal<Running>() {
    @Override
    protected Running initialValue() {
      return new Running();
    }
  };

  /** Refusals after which the stack is looked at; then again whenever their number has doubled. */
  private static final int FIRST_LOOK = 16;

  private BTraceRuntime() {}

  /** Whether the handler may run: not while another one runs on this thread. */
  static boolean enter(Probe probe) {
    Running running = RUNNING.get();
    if (running.probe != null && isReallyRunning(running)) {
      return false;
    }
    running.refused = 0;
    running.probe = probe;
    return true;
  }

  /** Ends what {@link #enter} began. */
  static void leave() {
    RUNNING.get().probe = null;
  }

  /**
   * Whether the handler that is said to run is on the stack. Where the stack ends, an overflow can keep {@link #leave} from
   * being called, and no code can be written that it could not hit.
   */
  private static boolean isReallyRunning(Running running) {
    int refused = running.refused + 1;
    if (refused >= FIRST_LOOK && (refused & (refused - 1)) == 0 && !isOnStack(running.probe.name)) {
      return false;
    }
    // Not before: where looking fails because there is no stack left, the next refusal looks again.
    running.refused = refused;
    return true;
  }

  private static boolean isOnStack(String type) {
    for (StackTraceElement frame : new Throwable().getStackTrace()) {
      if (frame.getClassName().equals(type)) {
        return true;
      }
    }
    return false;
  }

  /** See {@link IndyDispatcher#warmUp}. */
  static void warmUp() {
    isOnStack("");
  }

  private static Probe current() {
    return RUNNING.get().probe;
  }

  /** Writes one line to the output of the running probe; outside of any probe to the agent's log. */
  public static void send(String line) {
    Probe probe = current();
    NativeCore.write(probe == null ? 0 : probe.id, line + "\n");
  }

  /** Writes text without ending the line. */
  public static void print(String text) {
    Probe probe = current();
    NativeCore.write(probe == null ? 0 : probe.id, text == null ? "null" : text);
  }

  /** Name of the running probe's class, or null. */
  static String currentProbe() {
    Probe probe = current();
    return probe == null ? null : probe.name;
  }

  /** The instrumentation level of the running probe; 0 outside of any. */
  public static int level() {
    Probe probe = current();
    return probe == null ? 0 : probe.level();
  }

  /** Changes the instrumentation level of the running probe; outside of any nothing happens. */
  public static void setLevel(int level) {
    Probe probe = current();
    if (probe != null) {
      probe.setLevel(level);
    }
  }

  /** A handler threw: one line in the probe's output, and none for the same kind of failure again and again. */
  static void failed(Probe probe, Probe.Handler handler, Throwable thrown) {
    if (handler.failure == thrown.getClass()) {
      return;
    }
    handler.failure = thrown.getClass();
    NativeCore.write(probe.id, "handler " + probe.name + "." + handler.name + " failed: " + thrown
        + "; the same again is not shown\n");
  }
}
