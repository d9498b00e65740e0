package io.btrace.core;

/** Writes stack frames in one form for every Java version: {@link StackTraceElement#toString()} changed in Java 9. */
final class StackText {
  private StackText() {}

  /** Returns how many frames of a trace to show, for a limit that means all when it is negative. */
  static int count(StackTraceElement[] trace, int limit) {
    if (trace == null) {
      return 0; // an overriding getStackTrace() may return anything
    }
    return limit < 0 ? trace.length : Math.min(limit, trace.length);
  }

  /**
   * Returns how many frames at the top of a trace are not the application's: the agent's own, those of the running probe, and
   * what links a site to its handler.
   *
   * @param probe name of the running probe's class, or null
   */
  static int own(StackTraceElement[] trace, String probe) {
    int n = 0;
    while (n < trace.length && isOwn(trace[n].getClassName(), probe)) {
      n++;
    }
    return n;
  }

  private static boolean isOwn(String type, String probe) {
    return type.startsWith("io.btrace.")
        || type.startsWith("java.lang.invoke.")
        || type.equals("java.lang.FatAgentLinker")
        || probe != null && type.startsWith(probe) && (type.length() == probe.length() || type.charAt(probe.length()) == '$');
  }

  /** Returns {@code Class.method(File:line)}, or what is known of it. */
  static String frame(StackTraceElement frame) {
    if (frame == null) {
      return "(Unknown Source)";
    }
    StringBuilder text = new StringBuilder();
    text.append(frame.getClassName()).append('.').append(frame.getMethodName()).append('(');
    if (frame.isNativeMethod()) {
      text.append("Native Method");
    } else if (frame.getFileName() == null) {
      text.append("Unknown Source");
    } else {
      text.append(frame.getFileName());
      if (frame.getLineNumber() >= 0) {
        text.append(':').append(frame.getLineNumber());
      }
    }
    return text.append(')').toString();
  }
}
