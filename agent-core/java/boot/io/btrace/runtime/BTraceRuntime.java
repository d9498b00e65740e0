package io.btrace.runtime;

import io.btrace.boot.NativeCore;

/** What running handlers stand on: which probe they belong to, and its output. */
public final class BTraceRuntime {
  private static final ThreadLocal<Probe> CURRENT = new ThreadLocal<Probe>();

  private BTraceRuntime() {}

  /** Whether the handler may run: not while another one runs on this thread. */
  static boolean enter(Probe probe) {
    if (CURRENT.get() != null) {
      return false;
    }
    CURRENT.set(probe);
    return true;
  }

  /** Ends what {@link #enter} began. */
  static void leave() {
    CURRENT.set(null);
  }

  /** Writes one line to the output of the running probe; outside of any probe to the agent's log. */
  public static void send(String line) {
    Probe probe = CURRENT.get();
    NativeCore.write(probe == null ? 0 : probe.id, line + "\n");
  }

  /** Writes text without ending the line. */
  public static void print(String text) {
    Probe probe = CURRENT.get();
    NativeCore.write(probe == null ? 0 : probe.id, text == null ? "null" : text);
  }

  /** Name of the running probe's class, or null. */
  public static String currentProbe() {
    Probe probe = CURRENT.get();
    return probe == null ? null : probe.name;
  }

  /** The instrumentation level of the running probe; 0 outside of any. */
  public static int level() {
    Probe probe = CURRENT.get();
    return probe == null ? 0 : probe.level();
  }

  /** Changes the instrumentation level of the running probe; outside of any nothing happens. */
  public static void setLevel(int level) {
    Probe probe = CURRENT.get();
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
