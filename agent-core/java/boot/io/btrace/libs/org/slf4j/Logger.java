package io.btrace.libs.org.slf4j;

/**
 * A logger with the methods of SLF4J 1.7 that take no marker, for code that was relocated to this package. It writes to
 * the agent's log. A message may hold <code>{}</code> for each argument; one more argument that is a throwable is written with its
 * stack trace.
 */
public interface Logger {
  /** Name of the logger above all others. */
  String ROOT_LOGGER_NAME = "ROOT";

  /** The name that this logger was asked for with. */
  String getName();

  /** Whether such lines are written. */
  boolean isTraceEnabled();

  void trace(String message);

  void trace(String format, Object argument);

  void trace(String format, Object first, Object second);

  void trace(String format, Object... arguments);

  void trace(String message, Throwable thrown);

  /** Whether such lines are written. */
  boolean isDebugEnabled();

  void debug(String message);

  void debug(String format, Object argument);

  void debug(String format, Object first, Object second);

  void debug(String format, Object... arguments);

  void debug(String message, Throwable thrown);

  /** Whether such lines are written. */
  boolean isInfoEnabled();

  void info(String message);

  void info(String format, Object argument);

  void info(String format, Object first, Object second);

  void info(String format, Object... arguments);

  void info(String message, Throwable thrown);

  /** Whether such lines are written. */
  boolean isWarnEnabled();

  void warn(String message);

  void warn(String format, Object argument);

  void warn(String format, Object first, Object second);

  void warn(String format, Object... arguments);

  void warn(String message, Throwable thrown);

  /** Whether such lines are written. */
  boolean isErrorEnabled();

  void error(String message);

  void error(String format, Object argument);

  void error(String format, Object first, Object second);

  void error(String format, Object... arguments);

  void error(String message, Throwable thrown);
}
