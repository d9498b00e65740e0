package io.btrace.runtime;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;
import java.lang.invoke.SwitchPoint;

/** One submitted probe class: its handlers and the switch that turns all its sites off at once. */
final class Probe {
  final int id;
  final String name;
  final SwitchPoint live = new SwitchPoint();
  /** Whether handlers may use the runtime, which needs to know the probe, or come back to woven code. */
  private final boolean guarded;
  private final Handler[] handlers;
  /** Null where any number of events is allowed. */
  private final EventLimit limit;
  /** Null until the class is defined. */
  private volatile Class<?> type;
  private int level;

  /** One handler method. */
  static final class Handler {
    final String name;
    final String descriptor;
    /** Index of the parameter that takes the remaining arguments as an array, or -1. */
    final int collect;
    private final int lowest;
    private final int highest;
    /** Whether the level is right, as a target that a change replaces; null where every level is. */
    final MutableCallSite gate;
    /** Null where every event is taken. */
    final Sampler sampler;
    /** Class of the last failure that was written, so that a failing handler does not flood its own output. */
    volatile Class<?> failure;

    /** Reads the seven texts of one handler, see {@link HandlerRepository#define}. */
    Handler(String[] texts, int at) {
      name = texts[at];
      descriptor = texts[at + 1];
      collect = Integer.parseInt(texts[at + 2]);
      lowest = Integer.parseInt(texts[at + 3]);
      highest = Integer.parseInt(texts[at + 4]);
      sampler = Sampler.of(texts[at + 5], Integer.parseInt(texts[at + 6]));
      boolean always = lowest == Integer.MIN_VALUE && highest == Integer.MAX_VALUE;
      gate = always ? null : new MutableCallSite(MethodType.methodType(boolean.class));
    }

    void setLevel(int level) {
      if (gate != null) {
        gate.setTarget(MethodHandles.constant(boolean.class, lowest <= level && level <= highest));
      }
    }
  }

  Probe(int id, String name, Handler[] handlers, boolean guarded, int level, int events) {
    this.id = id;
    this.name = name;
    this.handlers = handlers;
    this.guarded = guarded;
    this.limit = events == 0 ? null : new EventLimit(this, events);
    setLevel(level);
  }

  void defined(Class<?> defined) {
    type = defined;
  }

  /** The class, or null as long as it is not defined. */
  Class<?> type() {
    return type;
  }

  synchronized int level() {
    return level;
  }

  /** Opens and closes handlers; threads that are running see it at once. */
  synchronized void setLevel(int to) {
    level = to;
    int n = 0;
    for (Handler handler : handlers) {
      handler.setLevel(to);
      n += handler.gate == null ? 0 : 1;
    }
    if (n > 0) {
      MutableCallSite[] gates = new MutableCallSite[n];
      for (Handler handler : handlers) {
        if (handler.gate != null) {
          gates[--n] = handler.gate;
        }
      }
      MutableCallSite.syncAll(gates);
    }
  }

  /**
   * The handler as a target for sites of this type: swallows everything the handler throws, and is off once retired. What
   * keeps it from running is asked in this order: retired, level, sampling, limit of events, guard.
   */
  MethodHandle target(int handler, MethodType site) throws ReflectiveOperationException {
    Handler h = handlers[handler];
    MethodType declared = MethodType.fromMethodDescriptorString(h.descriptor, type.getClassLoader());
    MethodHandle target = MethodHandles.publicLookup().findStatic(type, h.name, declared);
    if (h.collect >= 0) {
      int rest = site.parameterCount() - (declared.parameterCount() - 1);
      MethodHandle array = MethodHandles.identity(Object[].class).asCollector(Object[].class, rest);
      target = MethodHandles.collectArguments(target, h.collect, array);
    }
    target = target.asType(site);
    MethodHandle report = MethodHandles.insertArguments(IndyDispatcher.REPORT, 0, this, h);
    target = MethodHandles.catchException(
        target, Throwable.class, MethodHandles.dropArguments(report, 1, site.parameterList()));
    MethodHandle nothing = IndyDispatcher.nothing(site);
    if (guarded) {
      target = MethodHandles.filterReturnValue(target, IndyDispatcher.LEAVE);
      target = only(IndyDispatcher.ENTER.bindTo(this), target, nothing);
    }
    if (limit != null) {
      target = only(IndyDispatcher.PERMITS.bindTo(limit), target, nothing);
    }
    if (h.sampler != null) {
      target = only(IndyDispatcher.TAKES.bindTo(h.sampler), target, nothing);
    }
    if (h.gate != null) {
      target = only(h.gate.dynamicInvoker(), target, nothing);
    }
    return live.guardWithTest(target, nothing);
  }

  private static MethodHandle only(MethodHandle test, MethodHandle target, MethodHandle nothing) {
    return MethodHandles.guardWithTest(
        MethodHandles.dropArguments(test, 0, target.type().parameterList()), target, nothing);
  }
}
