package io.btrace.runtime;

import io.btrace.boot.NativeCore;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;

/** Links the sites of woven code to handlers. Sites are named {@code probe:handler:method}. */
public final class IndyDispatcher {
  static final MethodHandle REPORT;
  static final MethodHandle ENTER;
  static final MethodHandle LEAVE;
  static final MethodHandle PERMITS;
  static final MethodHandle TAKES;
  private static final MethodHandle NOTHING;
  private static final MethodHandle RETRY;

  /** Direct sites by number: handles of type {@code (Object[])void}. */
  private static volatile MethodHandle[] direct = new MethodHandle[16];

  private static volatile String[] kinds = new String[16];

  /** Where a direct site could not be linked for want of stack: how often it is not tried again. */
  private static volatile Patience[] patience = new Patience[16];

  static {
    try {
      MethodHandles.Lookup own = MethodHandles.lookup();
      REPORT = own.findStatic(IndyDispatcher.class, "report",
          MethodType.methodType(void.class, Probe.class, Probe.Handler.class, Throwable.class));
      ENTER = own.findStatic(BTraceRuntime.class, "enter", MethodType.methodType(boolean.class, Probe.class));
      LEAVE = own.findStatic(BTraceRuntime.class, "leave", MethodType.methodType(void.class));
      MethodType asked = MethodType.methodType(boolean.class);
      PERMITS = own.findVirtual(EventLimit.class, "permits", asked);
      TAKES = own.findVirtual(Sampler.class, "takes", asked);
      NOTHING = own.findStatic(IndyDispatcher.class, "nothing", MethodType.methodType(void.class));
      RETRY = own.findStatic(IndyDispatcher.class, "retry",
          MethodType.methodType(void.class, Retrying.class, Object[].class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private IndyDispatcher() {}

  private static boolean isWarm;

  /**
   * Initializes what linking needs, with the plainest of targets, as it costs what the first site would. Were that linked
   * where a stack ends, the overflow would leave classes of the JDK without initialization, and with them the application's
   * own lambdas.
   */
  static synchronized void warmUp() throws Throwable {
    if (isWarm) {
      return;
    }
    isWarm = true;
    String all = Integer.toString(Integer.MAX_VALUE);
    String[] texts = {"warmUp", "(Ljava/lang/Object;)V", "-1", Integer.toString(Integer.MIN_VALUE), all, "", "0"};
    Probe probe = new Probe(0, "", new Probe.Handler[] {new Probe.Handler(texts, 0)}, true, 0, 0);
    probe.defined(IndyDispatcher.class);
    MethodType type = MethodType.methodType(void.class, Object.class);
    probe.target(0, type).invokeExact((Object) "");
    later("0:0:warmUp", type);
    BTraceRuntime.warmUp();
  }

  /** A handler; see {@link #warmUp()}. */
  public static void warmUp(Object value) {}

  /**
   * Calls for which a site is left alone after the stack was too short to link it: twice as many each time, because a
   * thread may have a stack that is always too short. Counts of several threads may get lost; that does no harm.
   */
  private static final class Patience {
    private int length;
    private int left;

    boolean lasts() {
      return left > 0 && left-- > 0;
    }

    void grow() {
      length = Math.min(2 * length + 1, 1 << 20);
      left = length;
    }
  }

  /** A site that is linked later: its probe is not defined yet, or the stack was too short. */
  private static final class Retrying extends MutableCallSite {
    final String name;
    final Patience patience = new Patience();

    Retrying(String name, MethodType type) {
      super(type);
      this.name = name;
      setTarget(RETRY.bindTo(this).asCollector(Object[].class, type.parameterCount()).asType(type));
    }
  }

  /** Called through {@code java.lang.FatAgentLinker}. */
  public static CallSite link(String name, MethodType type) throws Throwable {
    Probe probe = HandlerRepository.get(probeOf(name));
    if (probe == null) {
      // Retired between weaving and linking.
      return new ConstantCallSite(nothing(type));
    }
    if (probe.type() == null) {
      return new Retrying(name, type);
    }
    return new ConstantCallSite(probe.target(handlerOf(name), type));
  }

  /** A site that is linked at one of its next calls, as the stack was too short now. */
  public static CallSite later(String name, MethodType type) {
    return new Retrying(name, type);
  }

  /** The target of a site that cannot be linked: nothing, after one line that says why. */
  public static MethodHandle unlinked(String name, MethodType type, Throwable cause) {
    try {
      Probe probe = HandlerRepository.get(probeOf(name));
      NativeCore.write(0, "probe " + (probe == null ? "?" : probe.name) + ", handler "
          + name.substring(name.lastIndexOf(':') + 1) + ", site " + type + " is off: " + cause);
    } catch (Throwable t) {
      // The log itself failed; the application goes on.
    }
    return nothing(type);
  }

  /** Called through {@code java.lang.FatAgentLinker}, with a guard against re-entry around it. */
  public static void call(int site, Object[] references, long[] primitives) throws Throwable {
    MethodHandle[] all = direct;
    MethodHandle target = site < all.length ? all[site] : null;
    if (target == null) {
      Patience[] waiting = patience;
      if (site < waiting.length && waiting[site] != null && waiting[site].lasts()) {
        return;
      }
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
      Patience[] waiting = new Patience[size];
      System.arraycopy(patience, 0, waiting, 0, patience.length);
      patience = waiting;
      kinds = texts;
      direct = handles;
    }
    if (direct[site] != null) {
      return direct[site];
    }
    // Made first, and grown before the attempt: where the stack ends there is no saying what still works.
    if (patience[site] == null) {
      patience[site] = new Patience();
    }
    patience[site].grow();
    String text = NativeCore.site(site);
    int space = text.indexOf(' ');
    String name = text.substring(0, space);
    MethodType type = MethodType.fromMethodDescriptorString(text.substring(space + 1), null);
    StringBuilder kind = new StringBuilder();
    for (int i = 0; i < type.parameterCount(); i++) {
      Class<?> c = type.parameterType(i);
      kind.append(c.isPrimitive() ? MethodType.methodType(c).toMethodDescriptorString().charAt(2) : 'L');
    }
    Probe probe = HandlerRepository.get(probeOf(name));
    MethodHandle target;
    try {
      target = probe == null || probe.type() == null ? nothing(type) : probe.target(handlerOf(name), type);
    } catch (StackOverflowError e) {
      // A later call looks again.
      throw e;
    } catch (Throwable t) {
      target = unlinked(name, type, t);
    }
    target = target.asSpreader(Object[].class, type.parameterCount()).asType(
        MethodType.methodType(void.class, Object[].class));
    kinds[site] = kind.toString();
    direct[site] = target;
    patience[site] = null;
    return target;
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

  private static void retry(Retrying site, Object[] arguments) throws Throwable {
    if (site.patience.lasts()) {
      return;
    }
    Probe probe = HandlerRepository.get(probeOf(site.name));
    if (probe != null && probe.type() == null) {
      return;
    }
    MethodHandle target;
    try {
      target = probe == null ? nothing(site.type()) : probe.target(handlerOf(site.name), site.type());
    } catch (StackOverflowError e) {
      site.patience.grow();
      return;
    } catch (Throwable t) {
      target = unlinked(site.name, site.type(), t);
    }
    site.setTarget(target);
    target.invokeWithArguments(arguments);
  }

  /** A target of this type that does nothing. */
  static MethodHandle nothing(MethodType type) {
    return MethodHandles.dropArguments(NOTHING, 0, type.parameterList());
  }

  private static void nothing() {}

  private static void report(Probe probe, Probe.Handler handler, Throwable thrown) {
    try {
      BTraceRuntime.failed(probe, handler, thrown);
    } catch (Throwable t) {
      // Out of memory or stack: the application goes on.
    }
  }

  private static int probeOf(String name) {
    return Integer.parseInt(name.substring(0, name.indexOf(':')));
  }

  private static int handlerOf(String name) {
    int first = name.indexOf(':');
    return Integer.parseInt(name.substring(first + 1, name.indexOf(':', first + 1)));
  }
}
