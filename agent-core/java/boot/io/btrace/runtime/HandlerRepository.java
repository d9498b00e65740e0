package io.btrace.runtime;

import java.lang.invoke.MutableCallSite;
import java.util.Arrays;

/** The probes of this JVM by number. Called by the core; numbers are never used twice. */
final class HandlerRepository {
  private static volatile Probe[] probes = new Probe[4];

  private HandlerRepository() {}

  /**
   * Defines a probe class in a loader of its own and makes its handlers reachable.
   *
   * @param id number of the probe, from 1
   * @param name dotted class name
   * @param bytes preprocessed class
   * @param handlers per handler: name, descriptor, index of the collecting parameter or -1, lowest and highest level, kind
   *     of sampling ({@code c}, {@code a} or nothing) and its mean
   * @param level instrumentation level to begin with
   * @param events handler calls allowed per second, or 0 for any number
   * @return null, or what went wrong; called through JNI, where an exception would only be in the way
   */
  static synchronized String define(
      int id, String name, byte[] bytes, String[] handlers, int level, int events) {
    try {
      Probe.Handler[] list = new Probe.Handler[handlers.length / 7];
      for (int i = 0; i < list.length; i++) {
        list[i] = new Probe.Handler(handlers, 7 * i);
      }
      Class<?> type = new ProbeLoader().define(name, bytes);
      // Forces linking and the static initializer now, where a failure can be told apart from a handler's.
      BTraceRuntime.Running running = BTraceRuntime.enter(id);
      Probe probe;
      try {
        probe = new Probe(id, name, list, level, events);
        Class.forName(name, true, type.getClassLoader());
      } finally {
        if (running != null) {
          running.state = 0;
        }
      }
      // Single-threaded, before any woven class can ask: links that race with each other's start end in circularity errors.
      IndyDispatcher.warmUp();
      probe.defined(type);
      Probe[] all = probes;
      if (id >= all.length) {
        Probe[] larger = new Probe[Math.max(id + 1, all.length * 2)];
        System.arraycopy(all, 0, larger, 0, all.length);
        all = larger;
      }
      all[id] = probe;
      probes = all;
      return null;
    } catch (Throwable t) {
      return String.valueOf(t.getCause() != null ? t + ": " + t.getCause() : t);
    }
  }

  /** Turns all sites of these probes into no-ops and lets their classes go. */
  static synchronized void retire(int[] ids) {
    int n = 0;
    MutableCallSite[] switches = new MutableCallSite[ids.length];
    Class<?>[] types = new Class<?>[ids.length];
    Probe[] all = probes;
    for (int id : ids) {
      if (id < all.length && all[id] != null) {
        switches[n] = all[id].turnOff();
        types[n++] = all[id].type();
        all[id] = null;
      }
    }
    MutableCallSite[] exact = new MutableCallSite[n];
    System.arraycopy(switches, 0, exact, 0, n);
    MutableCallSite.syncAll(exact);
    probes = all;
    IndyDispatcher.forgetSites();
    ExtensionIndy.release(Arrays.asList(types).subList(0, n));
  }

  /** The JVM exits: the probes that have services end, and the services with them. All others run to the last. */
  static synchronized void exit() {
    int n = 0;
    Probe[] all = probes;
    int[] ids = new int[all.length];
    for (Probe probe : all) {
      if (probe != null && probe.type() != null && ExtensionIndy.isUsing(probe.type())) {
        ids[n++] = probe.id;
      }
    }
    if (n > 0) {
      retire(Arrays.copyOf(ids, n));
    }
  }

  /** Changes the instrumentation level of these probes. */
  static synchronized void level(int[] ids, int level) {
    for (int id : ids) {
      Probe probe = get(id);
      if (probe != null) {
        probe.setLevel(level);
      }
    }
  }

  /** The probe with this number, or null. */
  static Probe get(int id) {
    Probe[] all = probes;
    return id > 0 && id < all.length ? all[id] : null;
  }
}
