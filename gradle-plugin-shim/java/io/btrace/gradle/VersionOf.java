package io.btrace.gradle;

import java.util.concurrent.Callable;
import org.gradle.api.Project;

/** The version of a project, asked for late: build scripts set it after they apply plugins. */
final class VersionOf implements Callable<String> {
  private final Project project;

  VersionOf(Project project) {
    this.project = project;
  }

  @Override
  public String call() {
    String version = String.valueOf(project.getVersion());
    return Project.DEFAULT_VERSION.equals(version) ? "0.0.0" : version;
  }
}
