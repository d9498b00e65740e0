package io.btrace.gradle;

import groovy.json.JsonSlurper;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UnsupportedEncodingException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.gradle.api.Action;
import org.gradle.api.Project;
import org.gradle.api.artifacts.ArtifactView;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.logging.Logger;
import org.gradle.process.ExecOperations;
import org.gradle.process.ExecResult;
import org.gradle.process.ExecSpec;

/** The program: where it is, and what it says. */
final class Fatagent {
  /** Gradle property with the path of the program. */
  static final String PROPERTY = "fatagent.executable";

  /** Task that writes what extensions and probes are compiled against. */
  static final String SDK_TASK = "fatagentSdk";

  /** Coordinates of the published program, without version. */
  private static final String ARTIFACT = "io.btrace:fatagent:";

  private static final String NAME = "fatagent";
  private static final String PROGRAMS = "fatagentProgram";

  private Fatagent() {}

  /** Makes what both plugins of a project share. */
  static void register(Project project) {
    if (project.getTasks().getNames().contains(SDK_TASK)) {
      return;
    }
    Configuration programs = project.getConfigurations().create(PROGRAMS);
    programs.setDescription("The published program, where no property and no PATH has one");
    programs.setCanBeConsumed(false);
    programs.setVisible(false);
    programs.setTransitive(false);
    if (platform() != null) {
      project.getDependencies().add(PROGRAMS, ARTIFACT + version() + ":" + platform() + "@exe");
    }
    project.getTasks().register(SDK_TASK, FatagentSdk.class, new Sdk(project));
  }

  /** Lets a task know where the program is. */
  static void give(Project project, FatagentTask task) {
    task.getFatagent().from(new Place(project));
    task.getSourceDateEpoch().convention(project.getProviders().environmentVariable("SOURCE_DATE_EPOCH"));
  }

  /** The program among these files: of the version of this plugin, and such that it can be started. */
  static File usable(Set<File> files, File temporary, ExecOperations exec) {
    if (files.isEmpty()) {
      throw new Failure(
          "the program `" + NAME + "` was not found: the Gradle property `" + PROPERTY + "` is not set, PATH has none, and no repository of "
              + "this project has `" + ARTIFACT + version() + "` for this computer",
          "put it into PATH, set `" + PROPERTY + "=/path/to/fatagent` in gradle.properties, or add the repository that "
              + "`fatagent sdk install` writes");
    }
    File program = files.iterator().next();
    if (!program.isFile()) {
      throw new Failure("the program does not exist: " + program, "correct the Gradle property `" + PROPERTY + "`");
    }
    if (!program.canExecute()) {
      program = executable(program, temporary);
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    start(program, Arrays.asList("--version"), exec, said, new ByteArrayOutputStream());
    String told = text(said).trim();
    if (!told.equals(NAME + " " + version())) {
      throw new Failure(
          "this plugin is of version " + version() + ", but `" + program + "` says that it is `" + told + "`",
          "use the plugin and the program of one release");
    }
    return program;
  }

  /** Runs the program with JSON messages. */
  static void run(File program, List<String> arguments, ExecOperations exec, Logger logger) {
    List<String> all = new ArrayList<String>(arguments);
    all.addAll(Arrays.asList("--message-format", "json", "--no-progress", "--color", "never"));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code = start(program, all, exec, out, err);
    Failure failure = failure(text(out));
    boolean isTold = false;
    for (String line : text(err).split("\n")) {
      // The failure says it; a line that is indented goes on with it.
      isTold = line.startsWith("error:") || isTold && (line.startsWith("  ") || line.startsWith("hint:"));
      if (!line.isEmpty() && !(isTold && failure != null)) {
        if (line.startsWith("warning:")) {
          logger.warn(line);
        } else if (code == 0) {
          logger.info(line);
        } else {
          logger.error(line);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    if (code != 0) {
      throw new Failure("`" + program + "` ended with exit code " + code, "what it wrote stands above");
    }
  }

  /** The error among the messages, or null. */
  private static Failure failure(String messages) {
    for (String line : messages.split("\n")) {
      if (!line.startsWith("{")) {
        continue;
      }
      Map<?, ?> message = (Map<?, ?>) new JsonSlurper().parseText(line);
      if ("error".equals(message.get("reason"))) {
        StringBuilder text = new StringBuilder(String.valueOf(message.get("message")));
        for (Object cause : (List<?>) message.get("causes")) {
          text.append("\n  caused by: ").append(cause);
        }
        Object hint = message.get("hint");
        return new Failure(text.toString(), hint == null ? null : hint.toString());
      }
    }
    return null;
  }

  private static int start(
      final File program,
      final List<String> arguments,
      ExecOperations exec,
      final ByteArrayOutputStream out,
      final ByteArrayOutputStream err) {
    try {
      ExecResult result =
          exec.exec(
              new Action<ExecSpec>() {
                @Override
                public void execute(ExecSpec spec) {
                  spec.executable(program);
                  spec.args(arguments);
                  spec.setIgnoreExitValue(true);
                  spec.setStandardOutput(out);
                  spec.setErrorOutput(err);
                }
              });
      return result.getExitValue();
    } catch (RuntimeException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new Failure("`" + program + "` cannot be started: " + cause.getMessage(), "it has to be the one for this computer");
    }
  }

  /** Files of a repository have no mode. */
  private static File executable(File program, File temporary) {
    File copy = new File(temporary, NAME);
    try {
      Files.createDirectories(temporary.toPath());
      Files.copy(program.toPath(), copy.toPath(), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new Failure("`" + program + "` cannot be copied: " + e, null);
    }
    if (!copy.setExecutable(true)) {
      throw new Failure("`" + copy + "` cannot be made executable", null);
    }
    return copy;
  }

  private static String text(ByteArrayOutputStream bytes) {
    try {
      return bytes.toString("UTF-8");
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException("every Java has UTF-8", e);
    }
  }

  /** Version of this plugin. */
  static String version() {
    String version = Fatagent.class.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }

  /** Classifier of the program for this computer, or null. */
  private static String platform() {
    if (!"Linux".equals(System.getProperty("os.name"))) {
      return null;
    }
    String architecture = System.getProperty("os.arch");
    return "linux-" + ("amd64".equals(architecture) ? "x86_64" : architecture);
  }

  /** Where the program is: property, PATH, repositories. */
  private static final class Place implements Callable<Object> {
    private final Project project;

    Place(Project project) {
      this.project = project;
    }

    @Override
    public Object call() {
      Object named = project.findProperty(PROPERTY);
      if (named != null) {
        return project.getRootProject().file(named);
      }
      String path = project.getProviders().environmentVariable("PATH").getOrElse("");
      for (String folder : path.split(File.pathSeparator)) {
        File program = new File(folder, NAME);
        if (!folder.isEmpty() && program.isFile() && program.canExecute()) {
          return program;
        }
      }
      return project.getConfigurations().getByName(PROGRAMS).getIncoming().artifactView(new Lenient()).getFiles();
    }
  }

  private static final class Lenient implements Action<ArtifactView.ViewConfiguration> {
    @Override
    public void execute(ArtifactView.ViewConfiguration view) {
      view.setLenient(true);
    }
  }

  private static final class Sdk implements Action<FatagentSdk> {
    private final Project project;

    Sdk(Project project) {
      this.project = project;
    }

    @Override
    public void execute(FatagentSdk task) {
      task.setDescription("Writes what extensions and probes are compiled against");
      give(project, task);
      task.getJar().convention(project.getLayout().getBuildDirectory().file("fatagent/fatagent-sdk.jar"));
    }
  }
}
