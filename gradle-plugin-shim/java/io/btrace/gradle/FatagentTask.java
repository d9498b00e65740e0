package io.btrace.gradle;

import java.io.File;
import java.util.List;
import javax.inject.Inject;
import org.gradle.api.DefaultTask;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.process.ExecOperations;

/** A task that the program {@code fatagent} does. */
public abstract class FatagentTask extends DefaultTask {
  /** The program: one file, or none where it was not found. */
  @InputFiles
  @PathSensitive(PathSensitivity.NONE)
  public abstract ConfigurableFileCollection getFatagent();

  /** Time of all entries, in seconds since 1970. */
  @Input
  @Optional
  public abstract Property<String> getSourceDateEpoch();

  /** Gradle's service for starting programs. */
  @Inject
  protected abstract ExecOperations getExecOperations();

  /** Starts the program; fails the task with what the program says is wrong. */
  void run(List<String> arguments) {
    File program = Fatagent.usable(getFatagent().getFiles(), getTemporaryDir(), getExecOperations());
    Fatagent.run(program, arguments, getExecOperations(), getLogger());
  }
}
