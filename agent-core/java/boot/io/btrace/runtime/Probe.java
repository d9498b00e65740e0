package io.btrace.runtime;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.SwitchPoint;

/** One submitted probe class: its handlers and the switch that turns all its sites off at once. */
final class Probe {
  final int id;
  final String name;
  final SwitchPoint live = new SwitchPoint();
  /** Whether handlers use the runtime (output, services), which needs to know the probe and must not re-enter it. */
  private final boolean usesRuntime;
  private final Handler[] handlers;
  /** Null until the class is defined. */
  private volatile Class<?> type;

  /** One handler method. */
  static final class Handler {
    final String name;
    final String descriptor;
    /** Index of the parameter that takes the remaining arguments as an array, or -1. */
    final int collect;
    /** Class of the last failure that was written, so that a failing handler does not flood its own output. */
    volatile Class<?> failure;

    Handler(String name, String descriptor, int collect) {
      this.name = name;
      this.descriptor = descriptor;
      this.collect = collect;
    }
  }

  Probe(int id, String name, Handler[] handlers, boolean usesRuntime) {
    this.id = id;
    this.name = name;
    this.handlers = handlers;
    this.usesRuntime = usesRuntime;
  }

  void defined(Class<?> defined) {
    type = defined;
  }

  /** The class, or null as long as it is not defined. */
  Class<?> type() {
    return type;
  }

  /** The handler as a target for sites of this type: swallows everything the handler throws, and is off once retired. */
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
    if (usesRuntime) {
      MethodHandle inside = MethodHandles.filterReturnValue(target, IndyDispatcher.LEAVE);
      MethodHandle enter = IndyDispatcher.ENTER.bindTo(this);
      target = MethodHandles.guardWithTest(
          MethodHandles.dropArguments(enter, 0, site.parameterList()), inside, nothing);
    }
    return live.guardWithTest(target, nothing);
  }
}
