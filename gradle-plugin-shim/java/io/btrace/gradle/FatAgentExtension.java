package io.btrace.gradle;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.inject.Inject;
import org.gradle.api.Action;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.TaskProvider;

/** {@code btraceFatAgent { … }}: what goes into the agent jar. */
public abstract class FatAgentExtension {
  /** Coordinates, without version, of the masked jar that {@code btraceVersion} asks for. */
  private static final String BTRACE = "io.btrace:btrace:";

  private final Project project;
  private final Discovery discovery;
  private final EmbedExtensions embedded;
  private final ProbeSources probes;

  /** Made by Gradle. */
  @Inject
  public FatAgentExtension(Project project, Discovery discovery) {
    this.project = project;
    this.discovery = discovery;
    embedded = project.getObjects().newInstance(EmbedExtensions.class, project);
    probes = project.getObjects().newInstance(ProbeSources.class, project);
    getExtensionFiles().from(new Sources());
  }

  /** Name of the jar without {@code .jar}, of {@code [A-Za-z0-9._-]}. */
  public abstract Property<String> getBaseName();

  /** Version of the agent; that of the project by default. */
  public abstract Property<String> getAgentVersion();

  /** Version of BTrace whose masked jar is the base; by default the base is what {@code fatagent} carries. */
  public abstract Property<String> getBtraceVersion();

  /** Whether all projects of the build that apply {@code io.btrace.extension} are embedded. */
  public abstract Property<Boolean> getAutoDiscover();

  /** Names, paths or ids of discovered extensions that are embedded unless {@code -PembedExtensions=} names others; all of them where it is empty. */
  public abstract ListProperty<String> getDefaultExtensions();

  /** Packages and where they move, in the implementations of all extensions. */
  public abstract MapProperty<String, String> getRelocations();

  /** Targets of the native cores to embed, such as {@code x86_64-gnu}; the host's by default. */
  public abstract ListProperty<String> getTargets();

  /** Default arguments of the agent. */
  public abstract MapProperty<String, Object> getArgs();

  /** Lowest level of {@code extensions.conf}. */
  public abstract MapProperty<String, Object> getConfig();

  /** Embedded {@code permissions.properties}, with {@code sealed}. */
  public abstract MapProperty<String, Object> getPolicy();

  /** {@code maxMethods}, {@code maxEventsPerSecond}. */
  public abstract MapProperty<String, Object> getLimits();

  /** Further attributes of the manifest. */
  public abstract MapProperty<String, String> getManifestAttributes();

  /** Class path that source probes are compiled with, besides the agent and the APIs of the embedded extensions. */
  public abstract ConfigurableFileCollection getProbeClasspath();

  /** Zips of all extensions that are embedded, in their order. */
  public abstract ConfigurableFileCollection getExtensionFiles();

  /** The base, where it is not what {@code fatagent} carries. */
  public abstract ConfigurableFileCollection getBase();

  /** Adds what is always embedded. */
  public void embedExtensions(Action<? super EmbedExtensions> action) {
    action.execute(embedded);
  }

  /** Adds probes. */
  public void probes(Action<? super ProbeSources> action) {
    action.execute(probes);
  }

  /** Adds a rule of {@link #getRelocations}. */
  public void relocate(String from, String to) {
    getRelocations().put(from, to);
  }

  /** The task that makes the base: a task, a provider of one, or its name in this project. Its jar has to be masked. */
  public void setAgentJarTask(final Object task) {
    if (task instanceof Task || task instanceof TaskProvider) {
      getBase().setFrom(task);
    } else if (task instanceof CharSequence) {
      getBase().setFrom(new Callable<Object>() {
        @Override
        public Object call() {
          return project.getTasks().getByPath(task.toString());
        }
      });
    } else {
      throw new Failure(
          "`agentJarTask` of `" + FatAgentPlugin.EXTENSION + "` is neither a task nor the name of one: " + task,
          "name the task that makes the masked agent jar, such as `agentJarTask = tasks.named('btraceJar')`");
    }
  }

  ProbeSources probeSources() {
    return probes;
  }

  /** What the base is made of, seen late: {@code btraceVersion} counts where no task was named. */
  Object base() {
    return new Callable<Object>() {
      @Override
      public Object call() {
        if (!getBase().getFrom().isEmpty() || !getBtraceVersion().isPresent()) {
          return getBase();
        }
        return Resolved.single(project, BTRACE + getBtraceVersion().get() + "@jar");
      }
    };
  }

  /** Asked for when the task graph is made: by then all projects say what they are. */
  private final class Sources implements Callable<Object> {
    private List<Object> found;

    @Override
    public Object call() {
      if (found == null) {
        List<Object> all = new ArrayList<Object>(embedded.sources());
        boolean discovers = getAutoDiscover().getOrElse(false);
        for (Project member : discovery.selected(discovers, getDefaultExtensions().get())) {
          if (!embedded.hasProject(member.getPath())) {
            all.add(Resolved.project(project, member.getPath()));
          }
        }
        found = all;
      }
      return found;
    }
  }
}
