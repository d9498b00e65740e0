package io.btrace.gradle;

import org.gradle.api.GradleException;

/** What went wrong, with its remedy on a line of its own. */
public final class Failure extends GradleException {
  private static final long serialVersionUID = 1L;

  Failure(String message, String hint) {
    super(hint == null ? message : message + "\nhint: " + hint);
  }
}
