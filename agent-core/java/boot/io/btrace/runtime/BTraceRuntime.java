package io.btrace.runtime;

import io.btrace.boot.NativeCore;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** What running handlers stand on: which probe they belong to, and its output. */
public final class BTraceRuntime {
  private static final ThreadLocal<Running> CURRENT = new ThreadLocal<Running>();

  /** What runs on a thread. */
  public static final class Running {
    /**
     * Number of the probe whose handler runs, or 0; above its 32 bits, how often another handler was kept from running since this
     * one began. One field, so that a handler begins and ends with one write.
     */
    public long state;

    Running() {}

    int probe() {
      return (int) state;
    }
  }

  /** What a service may use of the probe that it was made for, whichever thread it runs on. */
  public interface Impl {
    /** Writes one line to the probe's output. */
    void send(String message);

    /** Dotted name of the probe's class. */
    String getClassName();

    /** The probe's instrumentation level. */
    int getInstrumentationLevel();

    /** Changes the probe's instrumentation level. */
    void setInstrumentationLevel(int level);
  }

  private static final int FIRST_LOOK = 16;
  private static final long ONE_REFUSAL = 1L << 32;

  private BTraceRuntime() {}

  /** Whether the probe of that number is on, as a site that turning it off sets to null. Bootstrap method of prepared probes. */
  public static CallSite live(MethodHandles.Lookup caller, String number, MethodType type) {
    Probe probe = HandlerRepository.get(Integer.parseInt(number));
    return probe == null ? new ConstantCallSite(IndyDispatcher.NO) : probe.live;
  }

  /** Links a read of an {@code @Injected} field. Bootstrap method of prepared probes; see {@link ExtensionIndy#read}. */
  public static CallSite service(MethodHandles.Lookup caller, String name, MethodType type) {
    return ExtensionIndy.read(caller, name, type);
  }

  /** As {@link #live}, for probes of a version that knows no such sites. */
  public static boolean isLive(int number) {
    Probe probe = HandlerRepository.get(number);
    return probe != null && probe.live.getTarget() == IndyDispatcher.YES;
  }

  /** What services whose constructor asks for it get: the runtime of the probe that is running on this thread. */
  public static Impl enter() {
    return new ProbeRuntime(current());
  }

  /** Begins a handler, which ends with {@code state = 0}. Null while another one runs on this thread: this one must not. */
  public static Running enter(int number) {
    Running running = CURRENT.get();
    if (running == null) {
      running = new Running();
      CURRENT.set(running);
    } else if (running.state != 0 && isReallyRunning(running)) {
      return null;
    }
    running.state = number;
    return running;
  }

  /**
   * Whether the handler that is said to run is on the stack. Where the stack ends, an overflow can keep its end from being
   * noted, and no code can be written that it could not hit. Looked for after some refusals, and again whenever their number
   * has doubled.
   */
  private static boolean isReallyRunning(Running running) {
    long state = running.state + ONE_REFUSAL;
    int refused = (int) (state >>> 32);
    if (refused >= FIRST_LOOK && (refused & (refused - 1)) == 0) {
      Probe probe = HandlerRepository.get(running.probe());
      // Before it is known, and after it went, only what defines it can be running.
      if (!isOnStack(probe == null ? HandlerRepository.class.getName() : probe.name)) {
        return false;
      }
    }
    // Not before: where looking fails because there is no stack left, the next refusal looks again.
    running.state = state;
    return true;
  }

  /** Whether a method of that class is on the stack, the one that asks whether it may begin left aside: it may be of the same probe. */
  private static boolean isOnStack(String type) {
    StackTraceElement[] frames = new Throwable().getStackTrace();
    int asks = 0;
    while (asks < frames.length && frames[asks].getClassName().equals(BTraceRuntime.class.getName())) {
      asks++;
    }
    for (int i = asks + 1; i < frames.length; i++) {
      if (frames[i].getClassName().equals(type)) {
        return true;
      }
    }
    // A JVM may have been told to make no stack traces.
    return frames.length == 0;
  }

  /** A handler threw. */
  public static void failed(Throwable thrown, int number, int handler) {
    Probe probe = HandlerRepository.get(number);
    if (probe != null) {
      probe.failed(handler, thrown);
    }
  }

  static Object yes() {
    return CURRENT;
  }

  static Object no() {
    return null;
  }

  /** What sites call that call no handler. */
  static void nothing() {}

  /** Number of the probe whose handler runs on this thread, or 0. */
  static int current() {
    Running running = CURRENT.get();
    return running == null ? 0 : running.probe();
  }

  /** Writes one line to the output of the running probe; outside of any probe to the agent's log. */
  public static void send(String line) {
    NativeCore.write(current(), line + "\n");
  }

  /** Writes text without ending the line. */
  public static void print(String text) {
    NativeCore.write(current(), text == null ? "null" : text);
  }

  /** Name of the running probe's class, or null. */
  public static String currentProbe() {
    Probe probe = HandlerRepository.get(current());
    return probe == null ? null : probe.name;
  }

  /** A parameter of the running probe, or null. */
  public static String parameter(String name) {
    String[] all = NativeCore.parameters(current());
    for (int i = 0; i + 1 < all.length; i += 2) {
      if (all[i].equals(name)) {
        return all[i + 1];
      }
    }
    return null;
  }

  /** The instrumentation level of the running probe; 0 outside of any. */
  public static int level() {
    Probe probe = HandlerRepository.get(current());
    return probe == null ? 0 : probe.level();
  }

  /** Changes the instrumentation level of the running probe; outside of any nothing happens. */
  public static void setLevel(int level) {
    Probe probe = HandlerRepository.get(current());
    if (probe != null) {
      probe.setLevel(level);
    }
  }
}
