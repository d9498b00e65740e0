package io.btrace.gradle;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

/** Builds one extension by {@code fatagent extension build}: its API jar, its implementation jar and their zip. */
@CacheableTask
public abstract class PackageExtension extends FatagentTask {
  /** Folders with classes and resources of the extension. */
  @InputFiles
  @PathSensitive(PathSensitivity.RELATIVE)
  public abstract ConfigurableFileCollection getClasses();

  /** Jars that are packed into the implementation. */
  @Classpath
  public abstract ConfigurableFileCollection getDependencies();

  /** Folder of the build script, where licence, notice and readme are. */
  @Internal
  public abstract DirectoryProperty getProjectFolder();

  /** Names of licence, notice and readme. Looked for when the task runs: to Gradle a folder that was listed before is an input as a whole. */
  @Input
  public List<String> getPaperNames() {
    List<String> names = new ArrayList<String>();
    for (File paper : papers()) {
      names.add(paper.getName());
    }
    return names;
  }

  /** {@code id}. */
  @Input
  public abstract Property<String> getId();

  /** {@code version}. */
  @Input
  public abstract Property<String> getExtensionVersion();

  /** {@code name}. */
  @Input
  @Optional
  public abstract Property<String> getExtensionName();

  /** {@code description}. */
  @Input
  @Optional
  public abstract Property<String> getExtensionDescription();

  /** {@code group}. */
  @Input
  @Optional
  public abstract Property<String> getExtensionGroup();

  /** {@code services}. */
  @Input
  public abstract ListProperty<String> getServiceTypes();

  /** {@code exports}. */
  @Input
  public abstract ListProperty<String> getExports();

  /** {@code excluded-exports}. */
  @Input
  public abstract ListProperty<String> getExcludedExports();

  /** {@code requires}. */
  @Input
  public abstract ListProperty<String> getRequires();

  /** {@code api-packages}. */
  @Input
  public abstract ListProperty<String> getApiPackages();

  /** {@code [shade]}. */
  @Input
  public abstract MapProperty<String, String> getShade();

  /** {@code scan-permissions}. */
  @Input
  public abstract Property<Boolean> getScanPermissions();

  /** {@code [permissions]}. */
  @Input
  public abstract MapProperty<String, String> getPermissions();

  /** {@code probes}. */
  @Input
  public abstract ListProperty<String> getProbes();

  /** {@code configurator}. */
  @Input
  @Optional
  public abstract Property<String> getConfigurator();

  /** As {@link FatAgentJar#getContents}. */
  @Input
  public String getContents() {
    return Digest.of(Arrays.<Iterable<File>>asList(getClasses(), getDependencies(), papers()));
  }

  /** Folder of the three files, which holds nothing else. */
  @OutputDirectory
  public abstract DirectoryProperty getFolder();

  /** Runs {@code fatagent extension build}. */
  @TaskAction
  public void build() {
    Toml toml = new Toml();
    toml.put("id", getId().get()).put("version", getExtensionVersion().get());
    optional(toml, "name", getExtensionName());
    optional(toml, "description", getExtensionDescription());
    optional(toml, "group", getExtensionGroup());
    optional(toml, "configurator", getConfigurator());
    list(toml, "services", getServiceTypes().get());
    list(toml, "exports", getExports().get());
    list(toml, "excluded-exports", getExcludedExports().get());
    list(toml, "requires", getRequires().get());
    list(toml, "api-packages", getApiPackages().get());
    list(toml, "probes", getProbes().get());
    list(toml, "classes", paths(getClasses()));
    list(toml, "dependencies", paths(getDependencies()));
    if (!getScanPermissions().get()) {
      toml.put("scan-permissions", false);
    }
    if (!getShade().get().isEmpty()) {
      toml.table("shade").putAll(getShade().get());
    }
    if (!getPermissions().get().isEmpty()) {
      toml.table("permissions").putAll(getPermissions().get());
    }
    File description = new File(getTemporaryDir(), "extension.toml");
    File folder = getFolder().get().getAsFile();
    // What an older version of the extension left would be taken for this one's.
    empty(getTemporaryDir());
    empty(folder);
    for (File paper : papers()) {
      copy(paper, new File(getTemporaryDir(), paper.getName()));
    }
    toml.write(description);
    run(Arrays.asList("extension", "build", description.getPath(), "-o", folder.getPath()));
  }

  private List<File> papers() {
    return Papers.in(getProjectFolder().get().getAsFile());
  }

  private static void optional(Toml toml, String key, Property<String> value) {
    if (value.isPresent()) {
      toml.put(key, value.get());
    }
  }

  private static void list(Toml toml, String key, List<String> values) {
    if (!values.isEmpty()) {
      toml.put(key, values);
    }
  }

  /** Those that there are: a project without resources has no folder of them. */
  private static List<String> paths(Iterable<File> files) {
    List<String> paths = new ArrayList<String>();
    for (File file : files) {
      if (file.exists()) {
        paths.add(file.getPath());
      }
    }
    return paths;
  }

  private static void empty(File folder) {
    File[] files = folder.listFiles();
    for (int i = 0; files != null && i < files.length; i++) {
      if (files[i].isFile() && !files[i].delete()) {
        throw new Failure("cannot remove an older file: " + files[i], null);
      }
    }
  }

  private static void copy(File from, File to) {
    try {
      Files.copy(from.toPath(), to.toPath(), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new Failure("cannot copy `" + from + "`: " + e, null);
    }
  }
}
