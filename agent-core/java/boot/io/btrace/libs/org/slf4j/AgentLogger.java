package io.btrace.libs.org.slf4j;

import io.btrace.boot.NativeCore;

/** A logger whose lines go to the agent's log. It never throws: a line that cannot be written is lost. */
final class AgentLogger implements Logger {
  private static final int TRACE = 0;
  private static final int DEBUG = 1;
  private static final int INFO = 2;
  private static final int WARN = 3;
  private static final int ERROR = 4;
  private static final int OFF = 5;

  private final String name;

  /** The level that system properties give to this name, or -1 for that of the whole log. */
  private final int own;

  AgentLogger(String name) {
    this.name = name;
    this.own = levelOf(name);
  }

  /** The numbers of levels are those of the core. */
  private static int levelOf(String name) {
    try {
      return NativeCore.logLevel(name);
    } catch (Throwable noCore) {
      return OFF;
    }
  }

  private boolean isEnabled(int level) {
    return level >= (own < 0 ? levelOf("") : own);
  }

  private void write(int level, String format, Object[] arguments, Throwable thrown) {
    if (!isEnabled(level)) {
      return;
    }
    try {
      NativeCore.log(name, level, Format.text(format, arguments, thrown));
    } catch (Throwable noCore) {
      // Whoever logs is not to fail for it.
    }
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public boolean isTraceEnabled() {
    return isEnabled(TRACE);
  }

  @Override
  public void trace(String message) {
    write(TRACE, message, null, null);
  }

  @Override
  public void trace(String format, Object argument) {
    write(TRACE, format, new Object[] {argument}, null);
  }

  @Override
  public void trace(String format, Object first, Object second) {
    write(TRACE, format, new Object[] {first, second}, null);
  }

  @Override
  public void trace(String format, Object... arguments) {
    write(TRACE, format, arguments, null);
  }

  @Override
  public void trace(String message, Throwable thrown) {
    write(TRACE, message, null, thrown);
  }

  @Override
  public boolean isDebugEnabled() {
    return isEnabled(DEBUG);
  }

  @Override
  public void debug(String message) {
    write(DEBUG, message, null, null);
  }

  @Override
  public void debug(String format, Object argument) {
    write(DEBUG, format, new Object[] {argument}, null);
  }

  @Override
  public void debug(String format, Object first, Object second) {
    write(DEBUG, format, new Object[] {first, second}, null);
  }

  @Override
  public void debug(String format, Object... arguments) {
    write(DEBUG, format, arguments, null);
  }

  @Override
  public void debug(String message, Throwable thrown) {
    write(DEBUG, message, null, thrown);
  }

  @Override
  public boolean isInfoEnabled() {
    return isEnabled(INFO);
  }

  @Override
  public void info(String message) {
    write(INFO, message, null, null);
  }

  @Override
  public void info(String format, Object argument) {
    write(INFO, format, new Object[] {argument}, null);
  }

  @Override
  public void info(String format, Object first, Object second) {
    write(INFO, format, new Object[] {first, second}, null);
  }

  @Override
  public void info(String format, Object... arguments) {
    write(INFO, format, arguments, null);
  }

  @Override
  public void info(String message, Throwable thrown) {
    write(INFO, message, null, thrown);
  }

  @Override
  public boolean isWarnEnabled() {
    return isEnabled(WARN);
  }

  @Override
  public void warn(String message) {
    write(WARN, message, null, null);
  }

  @Override
  public void warn(String format, Object argument) {
    write(WARN, format, new Object[] {argument}, null);
  }

  @Override
  public void warn(String format, Object first, Object second) {
    write(WARN, format, new Object[] {first, second}, null);
  }

  @Override
  public void warn(String format, Object... arguments) {
    write(WARN, format, arguments, null);
  }

  @Override
  public void warn(String message, Throwable thrown) {
    write(WARN, message, null, thrown);
  }

  @Override
  public boolean isErrorEnabled() {
    return isEnabled(ERROR);
  }

  @Override
  public void error(String message) {
    write(ERROR, message, null, null);
  }

  @Override
  public void error(String format, Object argument) {
    write(ERROR, format, new Object[] {argument}, null);
  }

  @Override
  public void error(String format, Object first, Object second) {
    write(ERROR, format, new Object[] {first, second}, null);
  }

  @Override
  public void error(String format, Object... arguments) {
    write(ERROR, format, arguments, null);
  }

  @Override
  public void error(String message, Throwable thrown) {
    write(ERROR, message, null, thrown);
  }
}
