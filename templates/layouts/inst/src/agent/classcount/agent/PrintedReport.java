package classcount.agent;

import classcount.Report;

/** One line on standard error. */
public final class PrintedReport implements Report {
  @Override
  public void counted(String prefix, int classes) {
    System.err.println("class-count: " + classes + " classes of `" + prefix + "` in process " + ProcessId.current());
  }
}
