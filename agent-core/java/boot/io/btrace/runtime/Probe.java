package io.btrace.runtime;

import io.btrace.boot.NativeCore;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;

/** One submitted probe class: its handlers and the switch that turns all its sites off at once. */
final class Probe {
  final int id;
  final String name;
  /** Whether the probe is on, as a target that turning it off replaces. All its handlers ask it, which compiled code does not notice. */
  final MutableCallSite live = new MutableCallSite(IndyDispatcher.YES);
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
    /** What sites call; null until the class is defined. */
    MethodHandle target;
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

    /** The type of what sites call: references as {@code Object}. */
    MethodType erased() {
      StringBuilder text = new StringBuilder("(");
      for (int i = 1; descriptor.charAt(i) != ')'; i++) {
        int start = i;
        while (descriptor.charAt(i) == '[') {
          i++;
        }
        if (descriptor.charAt(i) == 'L') {
          i = descriptor.indexOf(';', i);
        }
        text.append(i == start ? descriptor.substring(i, i + 1) : "Ljava/lang/Object;");
      }
      return MethodType.fromMethodDescriptorString(text.append(")V").toString(), null);
    }

    void setLevel(int level) {
      if (gate != null) {
        gate.setTarget(MethodHandles.constant(boolean.class, lowest <= level && level <= highest));
      }
    }
  }

  Probe(int id, String name, Handler[] handlers, int level, int events) {
    this.id = id;
    this.name = name;
    this.handlers = handlers;
    this.limit = events == 0 ? null : new EventLimit(this, events);
    setLevel(level);
  }

  /**
   * The class is there: finds what sites call. A handler that names a class which the probe cannot see is found out at its
   * sites.
   */
  void defined(Class<?> defined) throws ReflectiveOperationException {
    for (int i = 0; i < handlers.length; i++) {
      Handler h = handlers[i];
      h.target = MethodHandles.publicLookup().findStatic(defined, "$" + i, h.erased());
    }
    type = defined;
  }

  /** Turns all handlers into no-ops; the caller makes other threads see it with {@link MutableCallSite#syncAll}. */
  MutableCallSite turnOff() {
    live.setTarget(IndyDispatcher.NO);
    return live;
  }

  /** A handler threw: one line in the probe's output, and none for the same kind of failure again and again. */
  void failed(int handler, Throwable thrown) {
    Handler h = handlers[handler];
    if (h.failure == thrown.getClass()) {
      return;
    }
    h.failure = thrown.getClass();
    NativeCore.write(id, "handler " + name + "." + h.name + " failed: " + thrown + "; the same again is not shown\n");
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
   * keeps it from running is asked in this order: retired, level, sampling, limit of events, guard. The first and the last are
   * in the method that the probe class has for it, which most sites call as it is: whatever is put together of method handles is
   * spun into classes first.
   */
  MethodHandle target(int handler, MethodType site) {
    Handler h = handlers[handler];
    // Fails if the handler names a class that the probe cannot see.
    MethodType.fromMethodDescriptorString(h.descriptor, type.getClassLoader());
    MethodHandle target = h.target;
    if (h.collect >= 0) {
      int rest = site.parameterCount() - (target.type().parameterCount() - 1);
      MethodHandle array = MethodHandles.identity(Object[].class).asCollector(Object[].class, rest);
      array = array.asType(array.type().changeReturnType(Object.class));
      target = MethodHandles.collectArguments(target, h.collect, array);
    }
    target = target.asType(site);
    if (limit == null && h.sampler == null && h.gate == null) {
      return target;
    }
    MethodHandle nothing = IndyDispatcher.nothing(site);
    if (limit != null) {
      target = only(IndyDispatcher.part(IndyDispatcher.PERMITS).bindTo(limit), target, nothing);
    }
    if (h.sampler != null) {
      target = only(IndyDispatcher.part(IndyDispatcher.TAKES).bindTo(h.sampler), target, nothing);
    }
    if (h.gate != null) {
      target = only(h.gate.dynamicInvoker(), target, nothing);
    }
    return only(MethodHandles.filterReturnValue(live.dynamicInvoker(), IndyDispatcher.part(IndyDispatcher.IS_ON)), target, nothing);
  }

  private static MethodHandle only(MethodHandle test, MethodHandle target, MethodHandle nothing) {
    return MethodHandles.guardWithTest(
        MethodHandles.dropArguments(test, 0, target.type().parameterList()), target, nothing);
  }
}
