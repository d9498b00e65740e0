package io.btrace.core;

import io.btrace.runtime.BTraceRuntime;

/**
 * What a probe may call: printing, text and time. All methods are safe to call from a handler, on any thread.
 *
 * <p>Nothing here runs the application's code by accident. In particular an object is turned into text by {@link
 * #str(Object)}, which calls {@code toString()} only where that is known to stay inside the JDK. The one exception
 * is named where it is: {@link #jstack(Throwable)}.
 */
public final class BTraceUtils {
  private BTraceUtils() {}

  /**
   * Returns a parameter of this probe.
   *
   * @return null when none of that name was given
   */
  public static String $(String name) {
    return name == null ? null : BTraceRuntime.parameter(name);
  }

  // -- printing ------------------------------------------------------------------------------------------------

  /** Prints {@link #str(Object)} of a value, without ending the line. */
  public static void print(Object value) {
    BTraceRuntime.print(str(value));
  }

  /** Prints a text, without ending the line; null prints {@code null}. */
  public static void print(String value) {
    BTraceRuntime.print(text(value));
  }

  /** Prints {@code true} or {@code false}, without ending the line. */
  public static void print(boolean value) {
    BTraceRuntime.print(str(value));
  }

  /** Prints a character, without ending the line. */
  public static void print(char value) {
    BTraceRuntime.print(str(value));
  }

  /** Prints a number, without ending the line. */
  public static void print(byte value) {
    BTraceRuntime.print(str(value));
  }

  /** Prints a number, without ending the line. */
  public static void print(short value) {
    BTraceRuntime.print(str(value));
  }

  /** Prints a number, without ending the line. */
  public static void print(int value) {
    BTraceRuntime.print(str(value));
  }

  /** Prints a number, without ending the line. */
  public static void print(long value) {
    BTraceRuntime.print(str(value));
  }

  /** Prints a number, without ending the line. */
  public static void print(float value) {
    BTraceRuntime.print(str(value));
  }

  /** Prints a number, without ending the line. */
  public static void print(double value) {
    BTraceRuntime.print(str(value));
  }

  /** Ends the line. */
  public static void println() {
    BTraceRuntime.send("");
  }

  /** Prints {@link #str(Object)} of a value and ends the line. */
  public static void println(Object value) {
    BTraceRuntime.send(str(value));
  }

  /** Prints a text and ends the line; null prints {@code null}. */
  public static void println(String value) {
    BTraceRuntime.send(text(value));
  }

  /** Prints {@code true} or {@code false} and ends the line. */
  public static void println(boolean value) {
    BTraceRuntime.send(str(value));
  }

  /** Prints a character and ends the line. */
  public static void println(char value) {
    BTraceRuntime.send(str(value));
  }

  /** Prints a number and ends the line. */
  public static void println(byte value) {
    BTraceRuntime.send(str(value));
  }

  /** Prints a number and ends the line. */
  public static void println(short value) {
    BTraceRuntime.send(str(value));
  }

  /** Prints a number and ends the line. */
  public static void println(int value) {
    BTraceRuntime.send(str(value));
  }

  /** Prints a number and ends the line. */
  public static void println(long value) {
    BTraceRuntime.send(str(value));
  }

  /** Prints a number and ends the line. */
  public static void println(float value) {
    BTraceRuntime.send(str(value));
  }

  /** Prints a number and ends the line. */
  public static void println(double value) {
    BTraceRuntime.send(str(value));
  }

  // -- text ----------------------------------------------------------------------------------------------------

  /**
   * Turns an object into text without running the application's code.
   *
   * <p>{@code toString()} is called on strings, on boxed values and on other JDK classes whose text depends on
   * nothing but themselves. Every other object, a collection included (its text is made of its elements'), gives
   * {@code <class name>@<identity hash in hexadecimal>}.
   *
   * @param value may be null, which gives {@code null}
   * @return never null
   */
  public static String str(Object value) {
    if (value == null) {
      return "null";
    }
    if (value instanceof String) {
      return (String) value;
    }
    return SafeText.of(value);
  }

  /** Returns {@code true} or {@code false}. */
  public static String str(boolean value) {
    return value ? "true" : "false";
  }

  /** Returns the character as a text of length one. */
  public static String str(char value) {
    return String.valueOf(value);
  }

  /** Returns the decimal text of a number. */
  public static String str(byte value) {
    return Integer.toString(value);
  }

  /** Returns the decimal text of a number. */
  public static String str(short value) {
    return Integer.toString(value);
  }

  /** Returns the decimal text of a number. */
  public static String str(int value) {
    return Integer.toString(value);
  }

  /** Returns the decimal text of a number. */
  public static String str(long value) {
    return Long.toString(value);
  }

  /** Returns the text of a number as {@link Float#toString(float)} writes it. */
  public static String str(float value) {
    return Float.toString(value);
  }

  /** Returns the text of a number as {@link Double#toString(double)} writes it. */
  public static String str(double value) {
    return Double.toString(value);
  }

  /**
   * Joins two texts. A null counts as nothing, so the other side is returned; two nulls give the empty text.
   *
   * @return never null
   */
  public static String concat(String left, String right) {
    if (left == null) {
      return right == null ? "" : right;
    }
    return right == null ? left : left.concat(right);
  }

  // -- time ----------------------------------------------------------------------------------------------------

  /** Returns the wall-clock time in milliseconds since 1970-01-01 UTC. */
  public static long timeMillis() {
    return System.currentTimeMillis();
  }

  /** Returns the monotonic time in nanoseconds since an arbitrary moment; only differences mean something. */
  public static long timeNanos() {
    return System.nanoTime();
  }

  // -- stacks --------------------------------------------------------------------------------------------------

  /** Prints the stack of the current thread, from the woven method on; nothing of the probe or the agent is in it. */
  public static void jstack() {
    jstack(-1);
  }

  /**
   * Prints the stack of the current thread as {@link #jstack()} does.
   *
   * @param frames how many frames at most; negative means all
   */
  public static void jstack(int frames) {
    StackTraceElement[] trace = new Throwable().getStackTrace();
    int first = StackText.own(trace, BTraceRuntime.currentProbe());
    for (int i = first; i < trace.length && (frames < 0 || i - first < frames); i++) {
      BTraceRuntime.send(StackText.frame(trace[i]));
    }
  }

  /** Returns what {@link #jstack()} prints, each line ended by a line feed. */
  public static String jstackStr() {
    return jstackStr(-1);
  }

  /**
   * Returns what {@link #jstack(int)} prints, each line ended by a line feed.
   *
   * @param frames how many frames at most; negative means all
   */
  public static String jstackStr(int frames) {
    StackTraceElement[] trace = new Throwable().getStackTrace();
    int first = StackText.own(trace, BTraceRuntime.currentProbe());
    StringBuilder lines = new StringBuilder();
    for (int i = first; i < trace.length && (frames < 0 || i - first < frames); i++) {
      lines.append(StackText.frame(trace[i])).append('\n');
    }
    return lines.toString();
  }

  /**
   * Prints the whole stack trace of an exception, as {@link #jstack(Throwable, int)} does.
   *
   * @param exception may be null, which prints nothing
   */
  public static void jstack(Throwable exception) {
    jstack(exception, -1);
  }

  /**
   * Prints the stack trace of an exception: one line {@code Class.method(File:line)} a frame, innermost first, the
   * same on every Java version (no loader and module names).
   *
   * <p>The frames come from {@link Throwable#getStackTrace()}, which an exception class of the application may
   * override; then its code runs here.
   *
   * @param exception may be null, which prints nothing
   * @param frames how many frames at most; negative means all
   */
  public static void jstack(Throwable exception, int frames) {
    if (exception == null || frames == 0) {
      return;
    }
    StackTraceElement[] trace = exception.getStackTrace();
    int count = StackText.count(trace, frames);
    for (int i = 0; i < count; i++) {
      BTraceRuntime.send(StackText.frame(trace[i]));
    }
  }

  /**
   * Returns what {@link #jstack(Throwable)} prints, each line ended by a line feed.
   *
   * @param exception may be null, which gives the empty text
   */
  public static String jstackStr(Throwable exception) {
    return jstackStr(exception, -1);
  }

  /**
   * Returns what {@link #jstack(Throwable, int)} prints, each line ended by a line feed.
   *
   * @param exception may be null, which gives the empty text
   * @param frames how many frames at most; negative means all
   */
  public static String jstackStr(Throwable exception, int frames) {
    if (exception == null || frames == 0) {
      return "";
    }
    StackTraceElement[] trace = exception.getStackTrace();
    int count = StackText.count(trace, frames);
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      lines.append(StackText.frame(trace[i])).append('\n');
    }
    return lines.toString();
  }

  // -- instrumentation level -----------------------------------------------------------------------------------

  /** Returns the instrumentation level of the running probe, 0 if it was never set. */
  public static int getInstrumentationLevel() {
    return BTraceRuntime.level();
  }

  /**
   * Changes the instrumentation level of the running probe: from now on those handlers are called whose {@code enableAt}
   * holds it. No class is retransformed.
   */
  public static void setInstrumentationLevel(int level) {
    BTraceRuntime.setLevel(level);
  }

  private static String text(String value) {
    return value == null ? "null" : value;
  }
}
