package io.btrace.runtime;

import io.btrace.boot.NativeCore;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;

/**
 * Links the sites of woven code to handlers. Sites are named {@code probe:handler:method}, and behind a question mark what has
 * to hold for the handler to take the values, where that was not known when the class was woven.
 */
public final class IndyDispatcher {
  static final MethodHandle YES;
  static final MethodHandle NO;
  private static final MethodHandle NOTHING;

  /**
   * What putting method handles together initializes in the JDK. That would stay unusable, for the application too, if it happened
   * first at the end of a stack.
   */
  private static final String[] OF_JDK = {
    "java.lang.invoke.BoundMethodHandle",
    "java.lang.invoke.BoundMethodHandle$Species_L",
    "java.lang.invoke.LambdaFormBuffer",
    "java.lang.invoke.LambdaFormEditor",
    "java.lang.invoke.LambdaFormEditor$Transform",
  };

  /** Direct sites by number: handles of type {@code (Object[])void}. */
  private static volatile MethodHandle[] direct = new MethodHandle[16];

  private static volatile String[] kinds = new String[16];

  static {
    try {
      MethodHandles.Lookup own = MethodHandles.lookup();
      // Of a class that is initialized, and of a shape that the JDK has at hand: nothing is generated for them.
      BTraceRuntime.isLive(0);
      MethodType asked = MethodType.methodType(Object.class);
      YES = own.findStatic(BTraceRuntime.class, "yes", asked);
      NO = own.findStatic(BTraceRuntime.class, "no", asked);
      NOTHING = own.findStatic(BTraceRuntime.class, "nothing", MethodType.methodType(void.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
    for (String name : OF_JDK) {
      try {
        Class.forName(name, true, null);
      } catch (ClassNotFoundException e) {
        // Other releases have others.
      }
    }
  }

  private IndyDispatcher() {}

  /** What only some sites are put together of, see {@link #part}. */
  static final int IS_ON = 0;

  static final int PERMITS = 1;
  static final int TAKES = 2;
  static final int RETRY = 3;
  private static final MethodHandle[] PARTS = new MethodHandle[4];

  /**
   * A part, looked up when the first site needs it: the JVM generates a class for most. No static initializer does it, which would
   * never be tried again after a stack that was too short.
   */
  static MethodHandle part(int which) {
    MethodHandle known = PARTS[which];
    if (known == null) {
      known = find(which);
      PARTS[which] = known;
    }
    return known;
  }

  private static MethodHandle find(int which) {
    MethodHandles.Lookup own = MethodHandles.lookup();
    MethodType asked = MethodType.methodType(boolean.class);
    try {
      switch (which) {
        case IS_ON:
          return own.findStatic(IndyDispatcher.class, "isOn", asked.appendParameterTypes(Object.class));
        case PERMITS:
          return own.findVirtual(EventLimit.class, "permits", asked);
        case TAKES:
          return own.findVirtual(Sampler.class, "takes", asked);
        default:
          return own.findStatic(IndyDispatcher.class, "retry",
              MethodType.methodType(void.class, Retrying.class, Object[].class));
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  static boolean isOn(Object live) {
    return live != null;
  }

  /** Initializes what linking needs. */
  static void warmUp() throws Throwable {
    Class.forName("java.lang.FatAgentLinker", true, null);
  }

  /**
   * A site whose probe is not defined yet, or of whose values not enough is known: looks again at each call. Or there was too
   * little stack to link it: looks again after twice as many calls each time, as a thread may never have enough.
   */
  private static final class Retrying extends MutableCallSite {
    final String name;
    /** Calls still to be left alone, and how many they were at first; what threads do to each other's counts does no harm. */
    int left;
    int patience;

    Retrying(String name, MethodType type) {
      super(type);
      this.name = name;
      setTarget(part(RETRY).bindTo(this).asCollector(Object[].class, type.parameterCount()).asType(type));
    }
  }

  /** Called through {@code java.lang.FatAgentLinker}. */
  public static CallSite link(String name, MethodType type) throws Throwable {
    Probe probe = HandlerRepository.get(probeOf(name));
    if (probe == null) {
      // Retired between weaving and linking.
      return new ConstantCallSite(nothing(type));
    }
    int fits = fits(name);
    if (probe.type() == null || fits < 0) {
      return new Retrying(name, type);
    }
    return new ConstantCallSite(fits == 0 ? nothing(type) : probe.target(handlerOf(name), type));
  }

  private static int fits(String name) {
    return name.indexOf('?') < 0 ? 1 : NativeCore.fits(name);
  }

  /** A site that is linked at one of its next calls, as there is too little stack now. */
  public static CallSite later(String name, MethodType type) {
    return new Retrying(name, type);
  }

  /** The target of a site that cannot be linked: nothing, after one line that says why. */
  public static MethodHandle unlinked(String name, MethodType type, Throwable cause) {
    report(name, type.toString(), cause);
    return nothing(type);
  }

  private static void report(String name, String type, Throwable cause) {
    try {
      Probe probe = HandlerRepository.get(probeOf(name));
      int end = name.indexOf('?');
      String call = end < 0 ? name : name.substring(0, end);
      NativeCore.write(0, "probe " + (probe == null ? "?" : probe.name) + ", handler "
          + call.substring(call.lastIndexOf(':') + 1) + ", site " + type + " is off: " + cause);
    } catch (Throwable t) {
      // The log itself failed; the application goes on.
    }
  }

  /** Called through {@code java.lang.FatAgentLinker}, with a guard against re-entry around it. */
  public static void call(int site, Object[] references, long[] primitives) throws Throwable {
    MethodHandle[] all = direct;
    MethodHandle target = site < all.length ? all[site] : null;
    if (target == null) {
      target = resolve(site);
    }
    String kind = kinds[site];
    int n = kind.length();
    Object[] arguments = new Object[n];
    int r = 0;
    int p = 0;
    for (int i = 0; i < n; i++) {
      char c = kind.charAt(i);
      arguments[i] = c == 'L' ? references[r++] : boxed(c, primitives[p++]);
    }
    target.invokeExact(arguments);
  }

  private static synchronized MethodHandle resolve(int site) throws Throwable {
    if (site >= direct.length) {
      int size = Math.max(site + 1, direct.length * 2);
      MethodHandle[] handles = new MethodHandle[size];
      System.arraycopy(direct, 0, handles, 0, direct.length);
      String[] texts = new String[size];
      System.arraycopy(kinds, 0, texts, 0, kinds.length);
      kinds = texts;
      direct = handles;
    }
    if (direct[site] != null) {
      return direct[site];
    }
    String text = NativeCore.site(site);
    int space = text.indexOf(' ');
    String name = text.substring(0, space);
    String descriptor = text.substring(space + 1);
    kinds[site] = kindsOf(descriptor);
    Probe probe = HandlerRepository.get(probeOf(name));
    int fits = fits(name);
    MethodHandle target = null;
    if (probe != null && probe.type() != null && fits > 0) {
      try {
        MethodType type = MethodType.fromMethodDescriptorString(descriptor, null);
        target = probe.target(handlerOf(name), type).asSpreader(Object[].class, type.parameterCount()).asType(
            MethodType.methodType(void.class, Object[].class));
      } catch (StackOverflowError e) {
        // A later call looks again.
        throw e;
      } catch (Throwable t) {
        // More values than a method may take, or a handler that cannot be reached.
        report(name, descriptor, t);
      }
    }
    if (target == null) {
      target = MethodHandles.dropArguments(NOTHING, 0, Object[].class);
    }
    if (fits >= 0) {
      direct[site] = target;
    }
    return target;
  }

  /** One letter for each parameter of an erased descriptor: that of the primitive, or {@code L}. */
  private static String kindsOf(String descriptor) {
    StringBuilder kinds = new StringBuilder();
    for (int i = 1; descriptor.charAt(i) != ')'; i++) {
      kinds.append(descriptor.charAt(i));
      if (descriptor.charAt(i) == 'L') {
        i = descriptor.indexOf(';', i);
      }
    }
    return kinds.toString();
  }

  /** Forgets what direct sites were linked to; the next call looks again. */
  static synchronized void forgetSites() {
    direct = new MethodHandle[direct.length];
  }

  private static Object boxed(char kind, long bits) {
    switch (kind) {
      case 'Z':
        return bits != 0;
      case 'B':
        return (byte) bits;
      case 'C':
        return (char) bits;
      case 'S':
        return (short) bits;
      case 'I':
        return (int) bits;
      case 'F':
        return Float.intBitsToFloat((int) bits);
      case 'D':
        return Double.longBitsToDouble(bits);
      default:
        return bits;
    }
  }

  static void retry(Retrying site, Object[] arguments) throws Throwable {
    if (site.left > 0) {
      site.left--;
      return;
    }
    Probe probe = HandlerRepository.get(probeOf(site.name));
    int fits = probe == null ? 0 : fits(site.name);
    if (fits < 0 || probe != null && probe.type() == null) {
      return;
    }
    MethodHandle target;
    try {
      target = fits == 0 ? nothing(site.type()) : probe.target(handlerOf(site.name), site.type());
    } catch (StackOverflowError e) {
      site.patience = Math.min(2 * site.patience + 1, 1 << 20);
      site.left = site.patience;
      return;
    } catch (Throwable t) {
      target = unlinked(site.name, site.type(), t);
    }
    site.setTarget(target);
    target.invokeWithArguments(arguments);
  }

  /** A target of this type that does nothing. */
  static MethodHandle nothing(MethodType type) {
    return type.parameterCount() == 0 ? NOTHING : MethodHandles.dropArguments(NOTHING, 0, type.parameterList());
  }

  private static int probeOf(String name) {
    return Integer.parseInt(name.substring(0, name.indexOf(':')));
  }

  private static int handlerOf(String name) {
    int first = name.indexOf(':');
    return Integer.parseInt(name.substring(first + 1, name.indexOf(':', first + 1)));
  }
}
