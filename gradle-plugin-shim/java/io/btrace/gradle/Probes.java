package io.btrace.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.gradle.api.Action;
import org.gradle.api.Project;
import org.gradle.api.file.ArchiveOperations;
import org.gradle.api.file.FileCollection;
import org.gradle.api.tasks.TaskProvider;
import org.gradle.api.tasks.compile.JavaCompile;
import org.gradle.api.tasks.util.PatternFilterable;

/** Compiles source probes by Gradle's own task, against the agent and the APIs of the embedded extensions. */
final class Probes {
  static final String TASK = "compileBtraceProbes";
  private static final int JAVA = 8;

  private Probes() {}

  static TaskProvider<JavaCompile> register(final Project project, final FatAgentExtension extension) {
    return project
        .getTasks()
        .register(
            TASK,
            JavaCompile.class,
            new Action<JavaCompile>() {
              @Override
              public void execute(JavaCompile task) {
                task.setDescription("Compiles the probes of the fat agent");
                task.setSource(extension.probeSources().sources());
                task.setClasspath(
                    project.files(
                        project.getTasks().named(Fatagent.SDK_TASK),
                        apis(project, extension.getExtensionFiles()),
                        extension.getProbeClasspath()));
                task.getOptions().getRelease().convention(JAVA);
                // Those of the class path, if there are any, do not speak of probes.
                task.getOptions().setCompilerArgs(new ArrayList<String>(java.util.Arrays.asList("-proc:none", "-Xlint:-options")));
                task.getDestinationDirectory()
                    .convention(project.getLayout().getBuildDirectory().dir("classes/btraceProbes"));
              }
            });
  }

  /** The API jars in the zips, looked into when the classes are compiled. */
  private static FileCollection apis(Project project, FileCollection zips) {
    ArchiveOperations archives = project.getObjects().newInstance(Archives.class).getOperations();
    return project.files(new Apis(zips, archives)).builtBy(zips);
  }

  private static final class Apis implements Callable<Object> {
    private final FileCollection zips;
    private final ArchiveOperations archives;

    Apis(FileCollection zips, ArchiveOperations archives) {
      this.zips = zips;
      this.archives = archives;
    }

    @Override
    public Object call() {
      Set<File> files = zips.getFiles();
      List<Object> found = new ArrayList<Object>();
      for (File file : files) {
        found.add(archives.zipTree(file).matching(new Named()));
      }
      return found;
    }
  }

  private static final class Named implements Action<PatternFilterable> {
    @Override
    public void execute(PatternFilterable pattern) {
      pattern.include("*-api.jar");
    }
  }
}
