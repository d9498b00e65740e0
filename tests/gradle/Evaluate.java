import io.btrace.gradle.BtraceExtension;
import io.btrace.gradle.FatAgentExtension;
import io.btrace.gradle.FatAgentJar;
import java.io.File;
import java.util.Arrays;
import java.util.Collections;
import org.gradle.api.Project;
import org.gradle.api.internal.project.ProjectInternal;
import org.gradle.testfixtures.ProjectBuilder;

/** Applies both plugins to projects in memory and prints what became of them. Argument: a folder, as an absolute path. */
public class Evaluate {
  public static void main(String[] arguments) {
    int code = 1;
    try {
      evaluate(arguments);
      code = 0;
    } catch (Throwable e) {
      e.printStackTrace();
    }
    // Gradle leaves threads behind that keep the JVM.
    System.exit(code);
  }

  private static void evaluate(String[] arguments) {
    File folder = new File(arguments[0]);
    Project root = ProjectBuilder.builder().withProjectDir(folder).withGradleUserHomeDir(new File(folder, "home")).build();
    Project member =
        ProjectBuilder.builder().withName("member").withParent(root).withProjectDir(new File(folder, "member")).build();
    member.getPluginManager().apply("io.btrace.extension");
    member.setVersion("3.2.1");
    BtraceExtension extension = member.getExtensions().getByType(BtraceExtension.class);
    extension.setShadedPackages(Arrays.asList("org.dep -> shaded.dep"));
    extension.getRequiredPermissions().set(Collections.singletonMap("NETWORK", "sends"));
    root.getPluginManager().apply("io.btrace.fat-agent");
    FatAgentExtension agent = root.getExtensions().getByType(FatAgentExtension.class);
    agent.getAutoDiscover().set(true);
    agent.relocate("a", "b");
    ((ProjectInternal) member).evaluate();
    ((ProjectInternal) root).evaluate();
    System.out.println("id " + extension.getId().get() + " " + extension.getVersion().get());
    System.out.println("shaded " + extension.getShadedPackages().get());
    System.out.println("permissions " + extension.getRequiredPermissions().get());
    for (String task : Arrays.asList("packageExtension", "extensionApiJar", "extensionImplJar", "extensionZip", "fatagentSdk")) {
      System.out.println("task " + member.getTasks().getByName(task).getName());
    }
    FatAgentJar jar = (FatAgentJar) root.getTasks().getByName("fatAgentJar");
    System.out.println("jar " + folder.toPath().relativize(jar.getArchiveFile().get().getAsFile().toPath()));
    System.out.println("zips " + jar.getExtensionZips().getFiles().iterator().next().getName());
    System.out.println("relocations " + jar.getRelocations().get());
  }
}
