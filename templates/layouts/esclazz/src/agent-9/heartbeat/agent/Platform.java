package heartbeat.agent;

/** What the JVM is; this copy is for Java 9 to 20. */
final class Platform {
  private Platform() {}

  static String describe() {
    return "Java " + Runtime.version() + " in process " + ProcessHandle.current().pid();
  }
}
