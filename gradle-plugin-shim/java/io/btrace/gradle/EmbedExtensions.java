package io.btrace.gradle;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import javax.inject.Inject;
import org.gradle.api.Project;

/** {@code embedExtensions { project(…) maven(…) file(…) }}, in the order written. */
public class EmbedExtensions {
  private final Project project;
  private final List<Object> sources = new ArrayList<Object>();
  private final Set<String> projects = new LinkedHashSet<String>();

  /** Made by Gradle. */
  @Inject
  public EmbedExtensions(Project project) {
    this.project = project;
  }

  /** A project of this build that applies {@code io.btrace.extension}, by its path. */
  public void project(String path) {
    final String absolute = project.absoluteProjectPath(path);
    if (projects.add(absolute)) {
      sources.add(new Callable<Object>() {
        @Override
        public Object call() {
          return Resolved.project(project, absolute);
        }
      });
    }
  }

  /** An extension zip by coordinates; classifier and type are {@code extension} and {@code zip} where the notation has neither. */
  public void maven(final String notation) {
    sources.add(new Callable<Object>() {
      @Override
      public Object call() {
        boolean isPlain = notation.split(":").length == 3 && notation.indexOf('@') < 0;
        return Resolved.single(project, isPlain ? notation + ":extension@zip" : notation);
      }
    });
  }

  /** An extension zip: whatever {@code project.files} takes for one file, a task that makes it included. */
  public void file(Object path) {
    sources.add(path);
  }

  List<Object> sources() {
    return sources;
  }

  boolean hasProject(String path) {
    return projects.contains(path);
  }
}
