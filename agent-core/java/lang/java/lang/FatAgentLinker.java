package java.lang;

import io.btrace.runtime.IndyDispatcher;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * What woven code names. It lives in {@code java.lang}, defined there by the core, because only {@code java.*} is visible
 * from every class loader: loaders that delegate nothing else (OSGi) would break the application otherwise.
 *
 * <p>Nothing here ever throws: a call site that failed once stays failed for ever.
 */
public final class FatAgentLinker {
  /**
   * Threads that are inside {@link #call}, by stripe. Monitors and arrays only: every Java method called before a thread
   * is entered here could itself be woven and would recurse.
   */
  private static final Thread[][] BUSY = new Thread[64][4];

  /** How often each of them was refused since it entered. */
  private static final int[][] REFUSED = new int[64][4];

  private static final int FIRST_LOOK = 16;

  private FatAgentLinker() {}

  /** Links an invokedynamic site of woven code; the name is {@code probe:handler:method}. */
  public static CallSite link(MethodHandles.Lookup caller, String name, MethodType type) {
    try {
      return IndyDispatcher.link(name, type);
    } catch (StackOverflowError e) {
      // Only if the stack is too short for that too this throws; then the JVM asks again at the next call.
      return IndyDispatcher.later(name, type);
    } catch (Throwable t) {
      try {
        IndyDispatcher.unlinked(name, type, t);
      } catch (Throwable evenThat) {
        // The dispatcher itself cannot be used; the application goes on.
      }
      try {
        MethodHandle nothing =
            MethodHandles.lookup().findStatic(FatAgentLinker.class, "nothing", MethodType.methodType(void.class));
        return new ConstantCallSite(MethodHandles.dropArguments(nothing, 0, type.parameterList()));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static void nothing() {}

  /** Woven by the core before it defines this class: the first site of this JVM, linked while nothing is at stake. */
  static void warmUp() {}

  /**
   * The trampoline of sites that cannot hold an invokedynamic: classes of the JDK, whose linking would recurse, and
   * classes below version 51.
   *
   * @param site number the core gave to the pair of handler and descriptor
   * @param references reference arguments in order, or null
   * @param primitives primitive arguments in order, float and double as raw bits, or null
   */
  public static void call(int site, Object[] references, long[] primitives) {
    Thread self = Thread.currentThread();
    Thread[][] busy = BUSY;
    int stripe = System.identityHashCode(self) & 63;
    boolean isHeld = false;
    synchronized (busy) {
      Thread[] held = busy[stripe];
      int[] refused = REFUSED[stripe];
      int free = -1;
      for (int i = 0; i < held.length; i++) {
        if (held[i] == self) {
          int times = ++refused[i];
          if (times < FIRST_LOOK || (times & (times - 1)) != 0) {
            return;
          }
          isHeld = true;
        }
        if (held[i] == null) {
          free = i;
        }
      }
      if (!isHeld) {
        if (free < 0) {
          Thread[] larger = new Thread[held.length * 2];
          int[] counts = new int[held.length * 2];
          for (int i = 0; i < held.length; i++) {
            larger[i] = held[i];
            counts[i] = refused[i];
          }
          free = held.length;
          busy[stripe] = larger;
          REFUSED[stripe] = counts;
          held = larger;
          refused = counts;
        }
        refused[free] = 0;
        held[free] = self;
      }
    }
    // Not under the monitor: what looks at the stack takes locks of its own.
    if (isHeld) {
      if (isInside()) {
        return;
      }
      // Should this call be left behind too, the next look is as near as the first one was.
      synchronized (busy) {
        Thread[] held = busy[stripe];
        for (int i = 0; i < held.length; i++) {
          if (held[i] == self) {
            REFUSED[stripe][i] = 0;
          }
        }
      }
    }
    try {
      IndyDispatcher.call(site, references, primitives);
    } catch (Throwable t) {
      // Reported by the dispatcher where it can be; an application never sees it.
    }
    synchronized (busy) {
      Thread[] held = busy[stripe];
      for (int i = 0; i < held.length; i++) {
        if (held[i] == self) {
          held[i] = null;
        }
      }
    }
  }

  /**
   * Whether this thread is in {@link #call} twice. Where the stack ends, an overflow can keep the end of a call from being noted (in compiled code
   * when it goes back to be interpreted), and no code can be written that it could not hit. What this calls may be woven: those calls are
   * refused and counted, and look again only after twice as many.
   */
  private static boolean isInside() {
    try {
      StackTraceElement[] frames = new Throwable().getStackTrace();
      int calls = 0;
      for (int i = 0; i < frames.length; i++) {
        if (frames[i].getMethodName().equals("call") && frames[i].getClassName().equals("java.lang.FatAgentLinker")) {
          calls++;
        }
      }
      // A JVM may have been told to make no stack traces.
      return calls != 1;
    } catch (Throwable t) {
      return true;
    }
  }
}
