package io.btrace.gradle;

import java.util.Arrays;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.TaskAction;

/** Writes the jar that extensions and probes are compiled against, by {@code fatagent sdk jar}. */
@CacheableTask
public abstract class FatagentSdk extends FatagentTask {
  /** The jar. */
  @OutputFile
  public abstract RegularFileProperty getJar();

  /** Runs {@code fatagent sdk jar}. */
  @TaskAction
  public void write() {
    run(Arrays.asList("sdk", "jar", "-o", getJar().get().getAsFile().getPath()));
  }
}
