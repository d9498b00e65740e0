package io.btrace.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

/** Builds one agent jar by {@code fatagent build}. */
@CacheableTask
public abstract class FatAgentJar extends FatagentTask {
  /** Name of the agent. */
  @Input
  public abstract Property<String> getAgentName();

  /** Version of the agent. */
  @Input
  public abstract Property<String> getAgentVersion();

  /** The masked jar that is extended; none means what {@code fatagent} carries. */
  @InputFiles
  @PathSensitive(PathSensitivity.NONE)
  public abstract ConfigurableFileCollection getBase();

  /** Zips of the extensions. */
  @InputFiles
  @PathSensitive(PathSensitivity.NAME_ONLY)
  public abstract ConfigurableFileCollection getExtensionZips();

  /** Class files of probes, and folders of them. */
  @InputFiles
  @PathSensitive(PathSensitivity.RELATIVE)
  public abstract ConfigurableFileCollection getProbes();

  /** Packages and where they move. */
  @Input
  public abstract MapProperty<String, String> getRelocations();

  /** Native cores; empty means the host's. */
  @Input
  public abstract ListProperty<String> getTargets();

  /** {@code [args]}. */
  @Input
  public abstract MapProperty<String, Object> getArgs();

  /** {@code [config]}. */
  @Input
  public abstract MapProperty<String, Object> getConfig();

  /** {@code [policy]}. */
  @Input
  public abstract MapProperty<String, Object> getPolicy();

  /** {@code [limits]}. */
  @Input
  public abstract MapProperty<String, Object> getLimits();

  /** {@code [manifest] attributes}. */
  @Input
  public abstract MapProperty<String, String> getManifestAttributes();

  /**
   * A digest of what the input files hold. Gradle itself looks at a file again only where its size or time differ, and what it remembers would
   * be the key of its cache, too.
   */
  @Input
  public String getContents() {
    return Digest.of(Arrays.<Iterable<File>>asList(getBase(), getExtensionZips(), getProbes()));
  }

  /** The jar. */
  @OutputFile
  public abstract RegularFileProperty getArchiveFile();

  /** Runs {@code fatagent build}. */
  @TaskAction
  public void build() {
    Toml toml = new Toml();
    toml.table("agent").put("name", getAgentName().get()).put("version", getAgentVersion().get());
    File base = base();
    if (base != null) {
      toml.inline("base", "file", base.getPath());
    }
    if (!getTargets().get().isEmpty()) {
      toml.put("targets", getTargets().get());
    }
    for (File zip : getExtensionZips()) {
      toml.element("extension").put("file", zip.getPath());
    }
    List<String> probes = probes();
    if (!probes.isEmpty()) {
      toml.table("probes").put("include", probes);
    }
    table(toml, "relocate", getRelocations().get());
    table(toml, "args", getArgs().get());
    table(toml, "config", getConfig().get());
    table(toml, "policy", getPolicy().get());
    table(toml, "limits", getLimits().get());
    table(toml, "manifest.attributes", getManifestAttributes().get());
    File description = new File(getTemporaryDir(), "agent.toml");
    toml.write(description);
    File archive = getArchiveFile().get().getAsFile();
    if (archive.equals(base)) {
      throw new Failure(
          "the output of `" + getPath() + "` is also its base: " + archive, "give `baseName` another value");
    }
    run(Arrays.asList("build", "--file", description.getPath(), "-o", archive.getPath()));
  }

  private File base() {
    Set<File> files = getBase().getFiles();
    if (files.size() > 1) {
      throw new Failure(
          "the base of `" + getPath() + "` has to be one jar: " + files,
          "`agentJarTask` has to name a task whose only output is the masked agent jar");
    }
    return files.isEmpty() ? null : files.iterator().next();
  }

  /** The class files, one by one: patterns are for paths relative to the description, which lies elsewhere. */
  private List<String> probes() {
    for (File file : getProbes()) {
      if (!file.exists()) {
        throw new Failure("a probe of `" + getPath() + "` does not exist: " + file, "name class files or folders of them");
      }
    }
    Set<String> paths = new TreeSet<String>();
    for (File file : getProbes().getAsFileTree()) {
      if (file.getName().endsWith(".class")) {
        paths.add(file.getPath());
      }
    }
    return new ArrayList<String>(paths);
  }

  private static void table(Toml toml, String name, Map<String, ?> values) {
    if (!values.isEmpty()) {
      toml.table(name).putAll(values);
    }
  }
}
