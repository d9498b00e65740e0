package io.btrace.runtime;

import io.btrace.boot.AgentMain;
import io.btrace.boot.Loader;
import io.btrace.boot.NativeCore;
import io.btrace.extension.ExtensionBridge;
import io.btrace.extension.Refused;
import java.lang.invoke.CallSite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** Bootstrap methods through which probes get the services in their {@code @Injected} fields. */
public final class ExtensionIndy {
  /** The bridge to the agent's side; null until the first service is asked for. */
  public static volatile ExtensionBridge bridge;

  /** One instance per probe class and service, however many sites use it. */
  private static final ClassValue<ConcurrentHashMap<String, Slot>> SERVICES =
      new ClassValue<ConcurrentHashMap<String, Slot>>() {
        @Override
        protected ConcurrentHashMap<String, Slot> computeValue(Class<?> probe) {
          return new ConcurrentHashMap<String, Slot>();
        }
      };

  /** The key of a mark among the services of a probe that is gone. */
  private static final String GONE = "";

  private static boolean closesAtExit;

  /** A service of a probe, or why there is none. */
  private static final class Slot {
    Object service;
    Throwable failure;
    /** What stands in for the service by doing nothing. */
    Object nothing;
    /** What stands in for it by failing. */
    Object throwing;
    /**
     * What was linked to it, which can outlive the probe: a frame that runs since before the probe was taken away keeps the
     * code that was woven then. So the way from there to the service has to end.
     */
    final List<MutableCallSite> sites = new ArrayList<MutableCallSite>();
  }

  private ExtensionIndy() {}

  /**
   * Links a read of an {@code @Injected} field of a prepared probe.
   *
   * @param name what the field reads as where the service cannot be used, service with commas for dots, and field, with colons
   *     in between: see {@link #bootstrapFieldGet}
   */
  static CallSite read(MethodHandles.Lookup caller, String name, MethodType type) {
    int service = name.indexOf(':') + 1;
    int field = name.indexOf(':', service) + 1;
    return bootstrapFieldGet(caller, name.substring(field), type,
        name.substring(service, field - 1).replace(',', '.'), name.substring(0, service - 1), "");
  }

  /**
   * Links a read of an {@code @Injected} field.
   *
   * @param caller the probe
   * @param fieldName name of the field, for messages
   * @param type {@code ()Service}
   * @param serviceClassName dotted name of the service
   * @param serviceType what the field reads as where the service cannot be used: {@code shim} or {@code optional} for an
   *     object that does nothing, {@code throw} for one of which each call fails; anything else for none
   * @param factoryMethod static method to call instead of the constructor, or empty
   * @throws BootstrapMethodError naming field and service, when it cannot be used and nothing stands in for it; the
   *     handler that reads the field fails with it, and nothing else does
   */
  public static CallSite bootstrapFieldGet(
      MethodHandles.Lookup caller,
      String fieldName,
      MethodType type,
      String serviceClassName,
      String serviceType,
      String factoryMethod) {
    try {
      ConcurrentHashMap<String, Slot> known = SERVICES.get(caller.lookupClass());
      String key = serviceClassName + '#' + factoryMethod;
      Slot slot = known.get(key);
      if (slot == null) {
        Slot made = new Slot();
        slot = known.putIfAbsent(key, made);
        slot = slot == null ? made : slot;
      }
      synchronized (slot) {
        if (slot.service == null && slot.failure == null) {
          create(slot, caller.lookupClass().getName(), serviceClassName, factoryMethod);
        }
        if (slot.service != null && known.containsKey(GONE)) {
          // A handler that was still running when its probe was taken away: nobody else would close this.
          bridge().close(Collections.singletonList(slot.service));
          slot.service = null;
          slot.failure = new IllegalStateException("the probe is gone");
        }
        Object service = slot.service != null
            ? slot.service
            : instead(slot, caller.lookupClass().getName(), fieldName, type.returnType(), serviceType);
        // Compiled code takes it for a constant as long as nobody sets it.
        MutableCallSite site = new MutableCallSite(MethodHandles.constant(type.returnType(), service));
        slot.sites.add(site);
        return site;
      }
    } catch (VirtualMachineError e) {
      // The JVM asks again at the next read, with more stack or memory.
      throw e;
    } catch (Throwable t) {
      throw new BootstrapMethodError(unusable(serviceClassName, fieldName, t), t);
    }
  }

  private static void create(Slot slot, String probe, String service, String factory) {
    try {
      slot.service = bridge().open(service, factory, BTraceRuntime.current(), probe);
      closeAtExit();
    } catch (VirtualMachineError e) {
      throw e;
    } catch (Throwable t) {
      slot.failure = t;
    }
  }

  /**
   * Lets a configurator choose probes; called by the core before the application's main.
   *
   * @return what {@link ExtensionBridge#configure} says; or one text, what went wrong
   */
  static String[] configure(String extension, String configurator, String[] arguments) {
    try {
      return bridge().configure(extension, configurator, arguments);
    } catch (Throwable t) {
      return new String[] {text(t)};
    }
  }

  /**
   * Loads extensions; called by the core before the application's main.
   *
   * @return what {@link ExtensionBridge#load} says
   */
  static String[] load(String[] extensions) throws Exception {
    return bridge().load(extensions);
  }

  /** What stands in for a service that cannot be used. */
  private static Object instead(Slot slot, String probe, String field, Class<?> service, String mode)
      throws Throwable {
    boolean nothing = mode.equals("shim") || mode.equals("optional");
    if (!nothing && !mode.equals("throw")) {
      throw slot.failure;
    }
    String message = unusable(service.getName(), field, slot.failure);
    if (!nothing) {
      if (slot.throwing == null) {
        slot.throwing = bridge().standIn(service, message);
      }
      return slot.throwing;
    }
    if (slot.nothing == null) {
      slot.nothing = bridge().standIn(service, null);
      if (!(slot.failure instanceof Refused)) {
        NativeCore.write(0, "probe " + probe + ": " + message + "; its calls do nothing");
      }
    }
    return slot.nothing;
  }

  private static String unusable(String service, String field, Throwable why) {
    return "the service " + service + " in the field " + field + " cannot be used: " + text(why);
  }

  /** Our own say all of it; what a static initializer threw is not in the text of the error around it. */
  private static String text(Throwable why) {
    if (why instanceof IllegalStateException) {
      return why.getMessage();
    }
    return why instanceof ExceptionInInitializerError && why.getCause() != null ? why + ": " + why.getCause() : why.toString();
  }

  /** Whether a probe has services. */
  static boolean isUsing(Class<?> probe) {
    for (Slot slot : SERVICES.get(probe).values()) {
      if (slot.service != null) {
        return true;
      }
    }
    return false;
  }

  /** Closes the services that retired probes used. */
  static void release(List<Class<?>> probes) {
    List<Object> services = new ArrayList<Object>();
    for (Class<?> probe : probes) {
      ConcurrentHashMap<String, Slot> known = SERVICES.get(probe);
      known.put(GONE, new Slot());
      for (Slot slot : known.values()) {
        synchronized (slot) {
          if (slot.service != null) {
            services.add(slot.service);
          }
          for (MutableCallSite site : slot.sites) {
            site.setTarget(MethodHandles.constant(site.type().returnType(), null));
          }
        }
      }
      known.keySet().retainAll(Collections.singleton(GONE));
    }
    ExtensionBridge to = bridge;
    if (to != null && !services.isEmpty()) {
      to.close(services);
    }
  }

  /** From the first service on, an exit of the JVM ends the probes that have some, and closes these. */
  private static synchronized void closeAtExit() {
    if (closesAtExit) {
      return;
    }
    closesAtExit = true;
    // What a thread takes from the one that makes it would live as long as the JVM, the domains of what runs there included.
    Thread hook = AccessController.doPrivileged(new PrivilegedAction<Thread>() {
      @Override
      public Thread run() {
        return new Thread("fatagent exit") {
          @Override
          public void run() {
            HandlerRepository.exit();
          }
        };
      }
    });
    try {
      hook.setContextClassLoader(null);
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is exiting already.
    }
  }

  private static ExtensionBridge bridge() throws Exception {
    ExtensionBridge to = bridge;
    if (to == null) {
      synchronized (ExtensionIndy.class) {
        to = bridge;
        if (to == null) {
          AgentMain agent = Loader.agent();
          if (agent == null) {
            throw new IllegalStateException("no agent is running");
          }
          to = agent.extensions();
          bridge = to;
        }
      }
    }
    return to;
  }
}
