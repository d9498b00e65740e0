package io.btrace.libs.org.slf4j;

/** Hands out loggers. */
public interface ILoggerFactory {
  /** The logger of a name; the same one each time. */
  Logger getLogger(String name);
}
