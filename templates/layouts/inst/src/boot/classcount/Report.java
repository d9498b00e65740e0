package classcount;

/** What becomes of the count: a service, whose providers lie in the section beside the agent. */
public interface Report {
  /** Called once, when the JVM ends. */
  void counted(String prefix, int classes);
}
