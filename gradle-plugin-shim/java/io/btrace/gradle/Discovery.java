package io.btrace.gradle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.gradle.api.Project;

/** Projects of the build that are extensions, and which of them are wanted. */
public class Discovery {
  /** The Gradle property that picks among whatever can be discovered. */
  static final String FILTER = "embedExtensions";

  private final Project project;

  Discovery(Project project) {
    this.project = project;
  }

  /**
   * The projects to embed, in the order of the build.
   *
   * @param discovers whether discovered ones are embedded without being named by the filter
   * @param defaults what is embedded where there is no filter; empty means all
   */
  List<Project> selected(boolean discovers, List<String> defaults) {
    Object filter = project.findProperty(FILTER);
    if (filter != null) {
      Set<String> names = new LinkedHashSet<String>();
      for (String name : filter.toString().split(",")) {
        if (!name.trim().isEmpty()) {
          names.add(name.trim());
        }
      }
      return named(names, "`-P" + FILTER + "=" + filter + "`");
    }
    if (!discovers) {
      return Collections.emptyList();
    }
    return defaults.isEmpty() ? all() : named(new LinkedHashSet<String>(defaults), "`defaultExtensions`");
  }

  private List<Project> named(Set<String> names, String origin) {
    List<Project> all = all();
    List<Project> selected = new ArrayList<Project>();
    Set<String> missing = new LinkedHashSet<String>(names);
    for (Project member : all) {
      boolean isWanted = false;
      for (String name : names) {
        if (answersTo(member, name)) {
          isWanted = true;
          missing.remove(name);
        }
      }
      if (isWanted) {
        selected.add(member);
      }
    }
    if (!missing.isEmpty()) {
      Set<String> known = new TreeSet<String>();
      for (Project member : all) {
        known.add(member.getPath());
      }
      String there = known.isEmpty() ? "no project of this build applies `io.btrace.extension`" : "there are: " + known;
      throw new Failure(origin + " names extensions that cannot be discovered: " + missing, there);
    }
    return selected;
  }

  private List<Project> all() {
    List<Project> found = new ArrayList<Project>();
    for (Project member : project.getRootProject().getAllprojects()) {
      if (member.getPlugins().hasPlugin(ExtensionPlugin.class)) {
        found.add(member);
      }
    }
    return found;
  }

  private static boolean answersTo(Project member, String name) {
    String id = member.getExtensions().getByType(BtraceExtension.class).getId().getOrNull();
    return name.equals(member.getName()) || name.equals(member.getPath()) || name.equals(id);
  }
}
