package io.btrace.gradle;

import javax.inject.Inject;
import org.gradle.api.Project;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.SourceDirectorySet;

/** {@code probes { source(…) compiled(…) }}. */
public class ProbeSources {
  private final SourceDirectorySet sources;
  private final ConfigurableFileCollection classes;

  /** Made by Gradle. */
  @Inject
  public ProbeSources(Project project) {
    sources = project.getObjects().sourceDirectorySet("btraceProbes", "sources of probes");
    sources.getFilter().include("**/*.java");
    classes = project.getObjects().fileCollection();
  }

  /** A folder with sources of probes, compiled by the task {@code compileBtraceProbes}. */
  public void source(Object... folders) {
    for (Object folder : folders) {
      sources.srcDir(folder);
    }
  }

  /** Compiled probes: class files, and folders of them. */
  public void compiled(Object... paths) {
    classes.from(paths);
  }

  SourceDirectorySet sources() {
    return sources;
  }

  ConfigurableFileCollection classes() {
    return classes;
  }
}
