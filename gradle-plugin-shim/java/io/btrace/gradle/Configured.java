package io.btrace.gradle;

import java.util.concurrent.Callable;
import org.gradle.api.Action;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.Transformer;
import org.gradle.api.file.RegularFile;
import org.gradle.api.plugins.BasePluginExtension;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskProvider;
import org.gradle.api.tasks.compile.JavaCompile;

/** What the plugins do to tasks once somebody needs them. */
final class Configured {
  private Configured() {}

  static final class DependsOn implements Action<Task> {
    private final Object other;

    DependsOn(Object other) {
      this.other = other;
    }

    @Override
    public void execute(Task task) {
      task.dependsOn(other);
    }
  }

  static final class Archive implements Transformer<Provider<RegularFile>, FatAgentJar> {
    @Override
    public Provider<RegularFile> transform(FatAgentJar task) {
      return task.getArchiveFile();
    }
  }

  /** Gives the task what the extension says. */
  static final class Jar implements Action<FatAgentJar> {
    private final Project project;
    private final FatAgentExtension extension;
    private final TaskProvider<JavaCompile> probes;

    Jar(Project project, FatAgentExtension extension, TaskProvider<JavaCompile> probes) {
      this.project = project;
      this.extension = extension;
      this.probes = probes;
    }

    @Override
    public void execute(FatAgentJar task) {
      task.setDescription("Builds the agent jar with its extensions and probes");
      task.setGroup("build");
      Fatagent.give(project, task);
      task.getAgentName().convention(extension.getBaseName());
      task.getAgentVersion().convention(extension.getAgentVersion());
      task.getBase().from(extension.base());
      task.getExtensionZips().from(extension.getExtensionFiles());
      task.getProbes().from(extension.probeSources().classes());
      task.getProbes().from(new Compiled(extension, probes));
      task.getRelocations().convention(extension.getRelocations());
      task.getTargets().convention(extension.getTargets());
      task.getArgs().convention(extension.getArgs());
      task.getConfig().convention(extension.getConfig());
      task.getPolicy().convention(extension.getPolicy());
      task.getLimits().convention(extension.getLimits());
      task.getManifestAttributes().convention(extension.getManifestAttributes());
      Provider<RegularFile> archive =
          project
              .getExtensions()
              .getByType(BasePluginExtension.class)
              .getLibsDirectory()
              .file(extension.getBaseName().map(new JarName()));
      task.getArchiveFile().convention(archive);
    }
  }

  private static final class JarName implements Transformer<String, String> {
    @Override
    public String transform(String name) {
      return name + ".jar";
    }
  }

  /** The output of the compiler, where there is anything to compile. */
  private static final class Compiled implements Callable<Object> {
    private final FatAgentExtension extension;
    private final TaskProvider<JavaCompile> probes;

    Compiled(FatAgentExtension extension, TaskProvider<JavaCompile> probes) {
      this.extension = extension;
      this.probes = probes;
    }

    @Override
    public Object call() {
      return extension.probeSources().sources().getSrcDirs().isEmpty() ? null : probes;
    }
  }
}
