package io.btrace.libs.org.slf4j;

import java.util.concurrent.ConcurrentHashMap;

/** Hands out loggers that write to the agent's log. */
public final class LoggerFactory {
  private static final ConcurrentHashMap<String, Logger> LOGGERS = new ConcurrentHashMap<String, Logger>();

  private static final ILoggerFactory FACTORY =
      new ILoggerFactory() {
        @Override
        public Logger getLogger(String name) {
          return LoggerFactory.getLogger(name);
        }
      };

  private LoggerFactory() {}

  /** The logger of a name; the same one each time. */
  public static Logger getLogger(String name) {
    String key = name == null ? Logger.ROOT_LOGGER_NAME : name;
    Logger known = LOGGERS.get(key);
    if (known != null) {
      return known;
    }
    Logger made = new AgentLogger(key);
    Logger other = LOGGERS.putIfAbsent(key, made);
    return other != null ? other : made;
  }

  /** The logger of a class's name. */
  public static Logger getLogger(Class<?> type) {
    return getLogger(type.getName());
  }

  /** The one factory. */
  public static ILoggerFactory getILoggerFactory() {
    return FACTORY;
  }
}
