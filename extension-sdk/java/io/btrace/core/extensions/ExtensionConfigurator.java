package io.btrace.core.extensions;

import java.util.Map;

/**
 * Decides, when the agent starts, which of an extension's embedded probes run in this JVM, so that nobody needs to name
 * them. Named by the extension's {@code configurator} property; needs a public constructor without parameters.
 *
 * <p>It runs before the application's main method, on the starting thread: it must be quick and must not start
 * threads.
 */
public interface ExtensionConfigurator {
  /**
   * Chooses probes.
   *
   * @param environment what can be seen of the JVM without loading the application's classes
   * @param settings the agent's arguments, unmodifiable
   * @return the choice; null means no probes
   */
  ProbeConfiguration configure(RuntimeEnvironment environment, Map<String, String> settings);
}
