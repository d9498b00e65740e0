package io.btrace.core.extensions;

/**
 * What an extension can ask for. A permission is a declaration, found by scanning the extension and checked by policy
 * before the extension is linked; it is not a sandbox.
 */
public enum Permission {
  // Granted unless policy denies them.
  /** Sending lines to the probe's output. */
  MESSAGING,
  /** Keeping counts and sums. */
  AGGREGATION,
  /** Writing flight-recorder events. */
  JFR_EVENTS,
  /** Collecting profiles. */
  PROFILING,

  // Granted where policy allows the extension.
  /** Reading files. */
  FILE_READ,
  /** Reading system properties and the environment. */
  SYSTEM_PROPS,
  /** Reading the state of threads. */
  THREAD_INFO,
  /** Reading the state of memory and collectors. */
  MEMORY_INFO,

  // Privileged: granted where policy names them.
  /** Creating, writing and deleting files. */
  FILE_WRITE,
  /** Opening connections. */
  NETWORK,
  /** Starting threads and executors. */
  THREADS,
  /** Calling native code. */
  NATIVE,
  /** Starting processes. */
  EXEC,
  /** Reading and changing members by reflection or method handles. */
  REFLECTION,
  /** Creating or using class loaders. */
  CLASSLOADER,
  /** Keeping an unbounded amount of memory. */
  UNLIMITED_MEMORY
}
