package heartbeat.agent;

/** Says on standard error, at once and then at an interval, that the JVM lives and what it is. */
public final class Heartbeat extends Thread {
  private static final long DEFAULT_MILLISECONDS = 1000;

  private final long milliseconds;

  /** @param milliseconds the interval; null or empty for one second */
  public Heartbeat(String milliseconds) {
    super("heartbeat");
    setDaemon(true);
    boolean given = milliseconds != null && !milliseconds.isEmpty();
    this.milliseconds = given ? Long.parseLong(milliseconds) : DEFAULT_MILLISECONDS;
  }

  @Override
  public void run() {
    try {
      for (int beat = 1; ; beat++) {
        System.err.println("heartbeat " + beat + " of " + Platform.describe());
        Thread.sleep(milliseconds);
      }
    } catch (InterruptedException e) {
      // Somebody wants it to end.
    }
  }
}
