package io.btrace.gradle;

import java.util.concurrent.Callable;
import org.gradle.api.Action;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.Transformer;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.file.Directory;
import org.gradle.api.file.RegularFile;
import org.gradle.api.plugins.JavaPlugin;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.SourceSet;
import org.gradle.api.tasks.SourceSetContainer;
import org.gradle.api.tasks.TaskProvider;

/** {@code io.btrace.extension}: makes the API jar, the implementation jar and the zip of what {@code btraceExtension} describes. */
public class ExtensionPlugin implements Plugin<Project> {
  static final String EXTENSION = "btraceExtension";
  /** Configuration by which other projects get the zip. */
  static final String ELEMENTS = "btraceExtensionElements";

  /** Configuration of what the application brings: the implementation is compiled with it, and it is never packed. */
  static final String PROVIDED = "implCompileOnly";

  @Override
  public void apply(final Project project) {
    project.getPluginManager().apply(JavaPlugin.class);
    Fatagent.register(project);
    final BtraceExtension extension = project.getExtensions().create(EXTENSION, BtraceExtension.class);
    extension.getId().convention(project.getName());
    extension.getVersion().convention(project.provider(new VersionOf(project)));
    extension.getScanPermissions().convention(true);

    Configuration provided = project.getConfigurations().create(PROVIDED);
    provided.setCanBeConsumed(false);
    provided.setCanBeResolved(false);
    provided.setDescription("Libraries of the application, which the implementation is compiled with");
    project.getConfigurations().getByName(JavaPlugin.COMPILE_ONLY_CONFIGURATION_NAME).extendsFrom(provided);
    Object sdk = project.files(project.getTasks().named(Fatagent.SDK_TASK));
    project.getDependencies().add(JavaPlugin.COMPILE_ONLY_CONFIGURATION_NAME, sdk);
    project.getDependencies().add(JavaPlugin.TEST_IMPLEMENTATION_CONFIGURATION_NAME, sdk);

    TaskProvider<PackageExtension> made =
        project.getTasks().register("packageExtension", PackageExtension.class, new Described(project, extension));
    Provider<String> stem = project.provider(new Stem(extension));
    part(project, made, stem, "extensionApiJar", "-api.jar", "the API jar of the extension");
    part(project, made, stem, "extensionImplJar", "-impl.jar", "the implementation jar of the extension");
    TaskProvider<ExtensionFile> zip =
        part(project, made, stem, "extensionZip", "-extension.zip", "the zip of the extension");
    project.getTasks().named("assemble").configure(new Configured.DependsOn(zip));
    Configuration elements = project.getConfigurations().create(ELEMENTS);
    elements.setCanBeResolved(false);
    elements.setCanBeConsumed(true);
    elements.setDescription("The zip of the extension, for other projects");
    elements.getOutgoing().artifact(zip.flatMap(new Target()));
  }

  private static TaskProvider<ExtensionFile> part(
      final Project project,
      final TaskProvider<PackageExtension> made,
      final Provider<String> stem,
      String task,
      final String end,
      final String what) {
    return project
        .getTasks()
        .register(
            task,
            ExtensionFile.class,
            new Action<ExtensionFile>() {
              @Override
              public void execute(ExtensionFile file) {
                file.setDescription("Makes " + what);
                file.setGroup("build");
                Provider<String> name = stem.map(new Ended(end));
                file.getSource().convention(made.flatMap(new Made(name)));
                file.getTarget().convention(project.getLayout().getBuildDirectory().dir("libs").flatMap(new Below(name)));
              }
            });
  }

  /** Gives the task what the project says. */
  private static final class Described implements Action<PackageExtension> {
    private final Project project;
    private final BtraceExtension extension;

    Described(Project project, BtraceExtension extension) {
      this.project = project;
      this.extension = extension;
    }

    @Override
    public void execute(PackageExtension task) {
      task.setDescription("Builds the extension");
      Fatagent.give(project, task);
      SourceSetContainer sets = project.getExtensions().getByType(SourceSetContainer.class);
      SourceSet main = sets.getByName(SourceSet.MAIN_SOURCE_SET_NAME);
      task.getClasses().from(main.getOutput());
      task.getDependencies().from(project.getConfigurations().named(JavaPlugin.RUNTIME_CLASSPATH_CONFIGURATION_NAME));
      task.getProjectFolder().convention(project.getLayout().getProjectDirectory());
      task.getId().convention(extension.getId());
      task.getExtensionVersion().convention(extension.getVersion());
      task.getExtensionName().convention(extension.getName());
      task.getExtensionDescription().convention(extension.getDescription());
      task.getExtensionGroup().convention(project.provider(new Group(project)));
      task.getServiceTypes().convention(extension.getServices());
      task.getExports().convention(extension.getAdditionalExports());
      task.getExcludedExports().convention(extension.getExcludedExports());
      task.getRequires().convention(extension.getRequiresExtensions());
      task.getApiPackages().convention(extension.getApiPackages());
      task.getShade().convention(extension.getShadedPackages());
      task.getScanPermissions().convention(extension.getScanPermissions());
      task.getPermissions().convention(extension.getRequiredPermissions());
      task.getProbes().convention(extension.getProbes());
      task.getConfigurator().convention(extension.getConfigurator());
      task.getFolder().convention(project.getLayout().getBuildDirectory().dir("extension"));
    }
  }

  private static final class Group implements Callable<String> {
    private final Project project;

    Group(Project project) {
      this.project = project;
    }

    @Override
    public String call() {
      String group = String.valueOf(project.getGroup());
      return group.isEmpty() ? null : group;
    }
  }

  private static final class Stem implements Callable<String> {
    private final BtraceExtension extension;

    Stem(BtraceExtension extension) {
      this.extension = extension;
    }

    @Override
    public String call() {
      return extension.getId().get() + "-" + extension.getVersion().get();
    }
  }

  private static final class Ended implements Transformer<String, String> {
    private final String end;

    Ended(String end) {
      this.end = end;
    }

    @Override
    public String transform(String stem) {
      return stem + end;
    }
  }

  private static final class Made implements Transformer<Provider<RegularFile>, PackageExtension> {
    private final Provider<String> name;

    Made(Provider<String> name) {
      this.name = name;
    }

    @Override
    public Provider<RegularFile> transform(PackageExtension task) {
      return task.getFolder().file(name);
    }
  }

  private static final class Below implements Transformer<Provider<RegularFile>, Directory> {
    private final Provider<String> name;

    Below(Provider<String> name) {
      this.name = name;
    }

    @Override
    public Provider<RegularFile> transform(final Directory folder) {
      return name.map(
          new Transformer<RegularFile, String>() {
            @Override
            public RegularFile transform(String file) {
              return folder.file(file);
            }
          });
    }
  }

  private static final class Target implements Transformer<Provider<RegularFile>, ExtensionFile> {
    @Override
    public Provider<RegularFile> transform(ExtensionFile task) {
      return task.getTarget();
    }
  }
}
