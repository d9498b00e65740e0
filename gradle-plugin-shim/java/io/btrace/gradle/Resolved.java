package io.btrace.gradle;

import java.util.LinkedHashMap;
import java.util.Map;
import org.gradle.api.Project;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.artifacts.Dependency;
import org.gradle.api.file.FileCollection;

/** Files that Gradle itself resolves. */
final class Resolved {
  private Resolved() {}

  /** The zip of an extension that another project of the build makes. */
  static FileCollection project(Project project, String path) {
    Project member = project.findProject(path);
    if (member == null) {
      throw new Failure("there is no project `" + path + "` to embed", "its path is as `gradle projects` shows it");
    }
    if (!member.getPlugins().hasPlugin(ExtensionPlugin.class)) {
      throw new Failure(
          "project `" + path + "` is not an extension, so it cannot be embedded",
          "apply the plugin `io.btrace.extension` there");
    }
    Map<String, String> notation = new LinkedHashMap<String, String>();
    notation.put("path", path);
    notation.put("configuration", ExtensionPlugin.ELEMENTS);
    return files(project, project.getDependencies().project(notation));
  }

  /** One file by coordinates, without what it depends on. */
  static FileCollection single(Project project, String notation) {
    return files(project, project.getDependencies().create(notation));
  }

  private static FileCollection files(Project project, Dependency dependency) {
    Configuration configuration = project.getConfigurations().detachedConfiguration(dependency);
    configuration.setTransitive(false);
    return configuration;
  }
}
