package io.btrace.agent;

import io.btrace.core.extensions.Extension;
import io.btrace.core.extensions.ExtensionContext;
import io.btrace.runtime.BTraceRuntime;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Makes one instance of a service: public members only, and the context before anybody else sees it. */
final class ServiceMaker extends Limited {
  private final Class<?> implementation;
  private final Class<?> service;
  private final String factory;
  private final ExtensionContext context;
  private volatile Object made;

  ServiceMaker(
      String id, Class<?> implementation, Class<?> service, String factory, ExtensionContextImpl context) {
    super("extension " + id, context.probe());
    this.implementation = implementation;
    this.service = service;
    this.factory = factory;
    this.context = context;
  }

  Object made() {
    return made;
  }

  @Override
  void work() throws Throwable {
    Object instance = make();
    if (instance instanceof Extension) {
      ((Extension) instance).initialize(context);
    }
    made = instance;
  }

  /** What links the read to the service next takes the JVM longest when it does so for the first time. */
  @Override
  void meanwhile() {
    MethodHandles.constant(service, null);
  }

  @Override
  void late() {
    ServiceCloser.close(made);
  }

  /** By the factory that is named, else by a constructor, else by the factory method of the customary name. */
  private Object make() throws Throwable {
    if (!factory.isEmpty()) {
      MethodHandle named = factory(factory);
      if (named == null) {
        throw new IllegalStateException(implementation.getName() + " has no public static method " + factory
            + " that returns it or " + service.getName());
      }
      return call(named);
    }
    MethodHandle maker = constructor();
    maker = maker != null ? maker : constructor(BTraceRuntime.Impl.class);
    maker = maker != null ? maker : factory("getInstance");
    if (maker == null) {
      throw new IllegalStateException(implementation.getName() + " has no public constructor without parameters or with a "
          + "BTraceRuntime.Impl, and no public static method getInstance; is the class public?");
    }
    return call(maker);
  }

  private static Object call(MethodHandle maker) throws Throwable {
    Object instance = maker.type().parameterCount() == 0
        ? maker.asType(MethodType.methodType(Object.class)).invokeExact()
        : maker.asType(MethodType.methodType(Object.class, BTraceRuntime.Impl.class)).invokeExact(BTraceRuntime.enter());
    if (instance == null) {
      throw new IllegalStateException("the factory method returned null");
    }
    return instance;
  }

  private MethodHandle constructor(Class<?>... parameters) {
    try {
      return MethodHandles.publicLookup().findConstructor(
          implementation, MethodType.methodType(void.class, parameters));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  private MethodHandle factory(String name) {
    for (Class<?> result : new Class<?>[] {implementation, service}) {
      for (MethodType type : new MethodType[] {
        MethodType.methodType(result), MethodType.methodType(result, BTraceRuntime.Impl.class)
      }) {
        try {
          return MethodHandles.publicLookup().findStatic(implementation, name, type);
        } catch (ReflectiveOperationException e) {
          // The next one.
        }
      }
    }
    return null;
  }
}
