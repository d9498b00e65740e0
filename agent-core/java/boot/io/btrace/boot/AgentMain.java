package io.btrace.boot;

import io.btrace.extension.ExtensionBridge;
import java.lang.instrument.Instrumentation;

/**
 * What the masked agent main class offers to the bootstrap side.
 *
 * <p>The main class registers an instance from its static initializer ({@link Loader#register}), so that starting it
 * needs no reflection: the first reflective call of a JVM costs more than the rest of the start-up together.
 */
public interface AgentMain {
  /**
   * Starts the agent.
   *
   * @param jar absolute path of the agent jar
   * @param arguments agent arguments as typed, never null
   * @param mode {@link Loader#PREMAIN}, {@link Loader#AGENTMAIN} or {@link Loader#AGENTPATH}
   * @param instrumentation null when started by {@code -agentpath}
   */
  void start(String jar, String arguments, int mode, Instrumentation instrumentation) throws Exception;

  /** Passes the arguments of a later start of the same build to the running core. */
  void again(String arguments, int mode);

  /** The bridge through which probes reach extensions; created on first use. */
  ExtensionBridge extensions() throws Exception;
}
