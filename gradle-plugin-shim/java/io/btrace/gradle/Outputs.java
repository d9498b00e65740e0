package io.btrace.gradle;

import java.io.File;
import java.util.HashMap;
import java.util.Map;
import org.gradle.api.Action;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.execution.TaskExecutionGraph;

/** Refuses a build in which two tasks write one jar: each would undo the other's work, and no task be up to date again. */
final class Outputs implements Action<TaskExecutionGraph> {
  private static final String WATCHED = "io.btrace.gradle.outputs";

  private Outputs() {}

  /** Watches the tasks of the whole build, whichever project asks first. */
  static void watch(Project project) {
    Project root = project.getRootProject();
    if (!root.getExtensions().getExtraProperties().has(WATCHED)) {
      root.getExtensions().getExtraProperties().set(WATCHED, true);
      root.getGradle().getTaskGraph().whenReady(new Outputs());
    }
  }

  @Override
  public void execute(TaskExecutionGraph graph) {
    Map<File, Task> writers = new HashMap<File, Task>();
    for (Task task : graph.getAllTasks()) {
      if (task instanceof FatAgentJar) {
        File archive = ((FatAgentJar) task).getArchiveFile().get().getAsFile();
        Task other = writers.put(archive, task);
        if (other != null) {
          throw new Failure(
              "`" + other.getPath() + "` and `" + task.getPath() + "` both write " + archive,
              "set `archiveFile` of one of them to another file");
        }
      }
    }
  }
}
