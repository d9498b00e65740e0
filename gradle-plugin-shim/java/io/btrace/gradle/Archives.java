package io.btrace.gradle;

import javax.inject.Inject;
import org.gradle.api.file.ArchiveOperations;

/** Gets Gradle's service for looking into archives, which tasks may keep. */
public abstract class Archives {
  /** The service. */
  @Inject
  public abstract ArchiveOperations getOperations();
}
