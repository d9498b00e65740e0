package classcount.agent;

/** The number of this process, on Java 9 and newer. */
final class ProcessId {
  private ProcessId() {}

  static String current() {
    return ProcessHandle.current().pid() + " (from ProcessHandle)";
  }
}
