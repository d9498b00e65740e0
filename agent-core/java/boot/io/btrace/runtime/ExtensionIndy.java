package io.btrace.runtime;

import io.btrace.boot.AgentMain;
import io.btrace.boot.Loader;
import io.btrace.extension.ExtensionBridge;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ConcurrentHashMap;

/** Bootstrap methods through which probes get the services in their {@code @Injected} fields. */
public final class ExtensionIndy {
  /** The bridge to the agent's side; null until the first service is asked for. */
  public static volatile ExtensionBridge bridge;

  /** One instance per probe class and service, however many sites use it. */
  private static final ClassValue<ConcurrentHashMap<String, Object>> SERVICES =
      new ClassValue<ConcurrentHashMap<String, Object>>() {
        @Override
        protected ConcurrentHashMap<String, Object> computeValue(Class<?> probe) {
          return new ConcurrentHashMap<String, Object>();
        }
      };

  private ExtensionIndy() {}

  /**
   * Links a read of an {@code @Injected} field.
   *
   * @param caller the probe
   * @param fieldName name of the field, for messages
   * @param type {@code ()Service}
   * @param serviceClassName dotted name of the service
   * @param serviceType {@code optional} when a missing service shall read as null, else empty
   * @param factoryMethod static method to call instead of the constructor, or empty
   * @throws IllegalStateException naming field and service, when it is not optional and cannot be made; the handler that
   *     reads the field fails with it, and nothing else does
   */
  public static CallSite bootstrapFieldGet(
      MethodHandles.Lookup caller,
      String fieldName,
      MethodType type,
      String serviceClassName,
      String serviceType,
      String factoryMethod)
      throws Exception {
    try {
      Object service = service(caller.lookupClass(), serviceClassName, factoryMethod);
      return new ConstantCallSite(MethodHandles.constant(type.returnType(), service));
    } catch (Throwable t) {
      if ("optional".equals(serviceType)) {
        return new ConstantCallSite(MethodHandles.constant(type.returnType(), null));
      }
      throw new IllegalStateException(
          "the service " + serviceClassName + " in the field " + fieldName + " cannot be used: " + t, t);
    }
  }

  private static Object service(Class<?> probe, String name, String factory) throws Throwable {
    ConcurrentHashMap<String, Object> known = SERVICES.get(probe);
    String key = name + '#' + factory;
    Object service = known.get(key);
    if (service != null) {
      return service;
    }
    synchronized (known) {
      service = known.get(key);
      if (service == null) {
        service = create(probe, name, factory);
        known.put(key, service);
      }
      return service;
    }
  }

  private static Object create(Class<?> probe, String name, String factory) throws Throwable {
    ExtensionBridge to = bridge();
    Class<?> implementation = to.getExtensionClass(name);
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    MethodHandle make = factory.isEmpty()
        ? lookup.findConstructor(implementation, MethodType.methodType(void.class))
        : lookup.findStatic(implementation, factory, MethodType.methodType(implementation));
    Object service = make.asType(MethodType.methodType(Object.class)).invokeExact();
    to.initialize(service, name, probe.getName());
    return service;
  }

  /** Closes the services that a retired probe used. */
  static void release(Class<?> probe) {
    ConcurrentHashMap<String, Object> known = SERVICES.get(probe);
    for (Object service : known.values()) {
      if (service instanceof AutoCloseable) {
        try {
          ((AutoCloseable) service).close();
        } catch (Throwable t) {
          // An extension that cannot close must not keep the others, or the detaching, from ending.
        }
      }
    }
    known.clear();
  }

  private static ExtensionBridge bridge() throws Exception {
    ExtensionBridge to = bridge;
    if (to == null) {
      AgentMain agent = Loader.agent();
      if (agent == null) {
        throw new IllegalStateException("no agent is running");
      }
      to = agent.extensions();
      bridge = to;
    }
    return to;
  }
}
