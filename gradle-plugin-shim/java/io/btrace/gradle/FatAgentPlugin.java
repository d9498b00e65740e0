package io.btrace.gradle;

import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.plugins.BasePlugin;
import org.gradle.api.plugins.JavaBasePlugin;
import org.gradle.api.tasks.TaskProvider;
import org.gradle.api.tasks.compile.JavaCompile;

/** {@code io.btrace.fat-agent}: the task {@code fatAgentJar} builds what the extension {@code btraceFatAgent} describes. */
public class FatAgentPlugin implements Plugin<Project> {
  static final String EXTENSION = "btraceFatAgent";
  static final String TASK = "fatAgentJar";
  /** Configuration by which other projects get the jar. */
  static final String ELEMENTS = "btraceFatAgentElements";

  @Override
  public void apply(final Project project) {
    project.getPluginManager().apply(BasePlugin.class);
    // Compiles probes; a project without any other Java has its rules for compilers, too.
    project.getPluginManager().apply(JavaBasePlugin.class);
    Fatagent.register(project);
    final FatAgentExtension extension =
        project.getExtensions().create(EXTENSION, FatAgentExtension.class, project, new Discovery(project));
    extension.getBaseName().convention("btrace-agent-fat");
    extension.getAgentVersion().convention(project.provider(new VersionOf(project)));
    extension.getAutoDiscover().convention(false);

    final TaskProvider<JavaCompile> probes = Probes.register(project, extension);
    TaskProvider<FatAgentJar> jar =
        project.getTasks().register(TASK, FatAgentJar.class, new Configured.Jar(project, extension, probes));
    project.getTasks().named("assemble").configure(new Configured.DependsOn(jar));
    Configuration elements = project.getConfigurations().create(ELEMENTS);
    elements.setCanBeResolved(false);
    elements.setCanBeConsumed(true);
    elements.setDescription("The fat agent, for other projects");
    elements.getOutgoing().artifact(jar.flatMap(new Configured.Archive()));
    Outputs.watch(project);
  }
}
