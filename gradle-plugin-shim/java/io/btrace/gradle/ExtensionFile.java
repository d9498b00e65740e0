package io.btrace.gradle;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import org.gradle.api.DefaultTask;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

/** One of the files that {@link PackageExtension} makes, where the build's other archives are. */
public abstract class ExtensionFile extends DefaultTask {
  /** The file as it was made. */
  @InputFile
  @PathSensitive(PathSensitivity.NONE)
  public abstract RegularFileProperty getSource();

  /** Its place. */
  @OutputFile
  public abstract RegularFileProperty getTarget();

  /** Puts it there. */
  @TaskAction
  public void copy() {
    File source = getSource().get().getAsFile();
    File target = getTarget().get().getAsFile();
    try {
      Files.copy(source.toPath(), target.toPath(), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new Failure("cannot write `" + target + "`: " + e, null);
    }
  }
}
