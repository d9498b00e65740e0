package io.btrace.gradle;

import java.util.LinkedHashMap;
import java.util.Map;
import javax.inject.Inject;
import org.gradle.api.model.ObjectFactory;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;

/** {@code btraceExtension { … }}: what an extension is. */
public abstract class BtraceExtension {
  private static final String ARROW = "->";

  private final MapProperty<String, String> shadedPackages;
  private final MapProperty<String, String> requiredPermissions;

  /** Made by Gradle. */
  @Inject
  public BtraceExtension(ObjectFactory objects) {
    shadedPackages = objects.mapProperty(String.class, String.class);
    requiredPermissions = objects.mapProperty(String.class, String.class);
  }

  /** Lowercase words joined by hyphens; the name of the project by default. */
  public abstract Property<String> getId();

  /** A semantic version; that of the project by default. */
  public abstract Property<String> getVersion();

  /** Name for people. */
  public abstract Property<String> getName();

  /** What it is for. */
  public abstract Property<String> getDescription();

  /** Dotted names of the service interfaces; empty means that they are found by descriptors and annotations. */
  public abstract ListProperty<String> getServices();

  /** Further API classes, dotted. */
  public abstract ListProperty<String> getAdditionalExports();

  /** Classes that are no API although something of it names them, dotted. */
  public abstract ListProperty<String> getExcludedExports();

  /** Ids of other extensions. */
  public abstract ListProperty<String> getRequiresExtensions();

  /** Packages of dependencies, and where they move; {@code {id}} is the extension's id. */
  public MapProperty<String, String> getShadedPackages() {
    return shadedPackages;
  }

  /** Whether the code is scanned for what it needs; otherwise exactly {@link #getRequiredPermissions} is declared. */
  public abstract Property<Boolean> getScanPermissions();

  /** Permissions that are accepted, each with its reason. */
  public MapProperty<String, String> getRequiredPermissions() {
    return requiredPermissions;
  }

  /** Packages that the API may be in, besides those that begin with the id. */
  public abstract ListProperty<String> getApiPackages();

  /** Paths of compiled probe classes, as patterns in the output of the compiler. */
  public abstract ListProperty<String> getProbes();

  /** Dotted name of the class that selects probes. */
  public abstract Property<String> getConfigurator();

  /** As texts {@code from->to}; a map is set as Gradle sets any. */
  public void setShadedPackages(Iterable<?> packages) {
    Map<String, String> rules = new LinkedHashMap<String, String>();
    for (Object rule : packages) {
      String text = rule.toString();
      int arrow = text.indexOf(ARROW);
      if (arrow < 0) {
        throw new Failure("not `from->to` in `shadedPackages` of `btraceExtension`: " + text, "or give a map: ['from': 'to']");
      }
      rules.put(text.substring(0, arrow).trim(), text.substring(arrow + ARROW.length()).trim());
    }
    shadedPackages.set(rules);
  }

  /** As names, without reasons; a map is set as Gradle sets any. */
  public void setRequiredPermissions(Iterable<?> permissions) {
    Map<String, String> reasons = new LinkedHashMap<String, String>();
    for (Object name : permissions) {
      reasons.put(name.toString(), "required by the build");
    }
    requiredPermissions.set(reasons);
  }
}
