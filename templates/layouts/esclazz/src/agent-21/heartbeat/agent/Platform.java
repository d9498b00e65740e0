package heartbeat.agent;

/** What the JVM is; this copy is for Java 21 and newer. */
final class Platform {
  private Platform() {}

  static String describe() {
    return "Java " + Runtime.version() + " with virtual threads in process " + ProcessHandle.current().pid();
  }
}
