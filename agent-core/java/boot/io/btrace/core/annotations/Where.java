package io.btrace.core.annotations;

/** On which side of a {@link Location} the handler runs. */
public enum Where {
  /** Before the place is executed. */
  BEFORE,
  /** After the place was executed without an exception. */
  AFTER
}
