package heartbeat.agent;

/** What the JVM is; this copy is for Java 8. */
final class Platform {
  private Platform() {}

  static String describe() {
    return "Java " + System.getProperty("java.version");
  }
}
