package io.btrace.libs.org.slf4j;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;

/** Puts arguments into messages, as SLF4J does: <code>{}</code> is one, <code>\{}</code> is the text itself. */
final class Format {
  private Format() {}

  static String text(String format, Object[] arguments, Throwable thrown) {
    StringBuilder text = new StringBuilder();
    int used = format == null ? 0 : fill(text, format, arguments);
    if (format == null) {
      text.append("null");
    }
    Throwable cause = thrown;
    if (cause == null && arguments != null && used < arguments.length) {
      Object last = arguments[arguments.length - 1];
      cause = last instanceof Throwable ? (Throwable) last : null;
    }
    if (cause != null) {
      StringWriter trace = new StringWriter();
      cause.printStackTrace(new PrintWriter(trace, true));
      text.append('\n').append(trace.toString().trim());
    }
    return text.toString();
  }

  /** Returns how many arguments the message takes. */
  private static int fill(StringBuilder text, String format, Object[] arguments) {
    int used = 0;
    int from = 0;
    int at = format.indexOf("{}");
    while (at >= 0 && arguments != null && used < arguments.length) {
      boolean escaped = at > from && format.charAt(at - 1) == '\\';
      boolean escapedTwice = escaped && at - 1 > from && format.charAt(at - 2) == '\\';
      if (escaped && !escapedTwice) {
        text.append(format, from, at - 1).append("{}");
      } else {
        // Two backslashes are one, and what follows is an argument.
        text.append(format, from, escapedTwice ? at - 1 : at).append(value(arguments[used++]));
      }
      from = at + 2;
      at = format.indexOf("{}", from);
    }
    text.append(format, from, format.length());
    return used;
  }

  private static String value(Object argument) {
    try {
      if (argument != null && argument.getClass().isArray()) {
        String deep = Arrays.deepToString(new Object[] {argument});
        return deep.substring(1, deep.length() - 1);
      }
      return String.valueOf(argument);
    } catch (Throwable t) {
      return "[" + argument.getClass().getName() + ".toString() failed]";
    }
  }
}
