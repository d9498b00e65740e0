package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The instrumentation levels at which a handler is active. Used only inside {@link OnMethod#enableAt()}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface Level {
  /**
   * A range {@code a..b} (either end may be missing), or one of {@code = < > <= >=} and a number; a bare number
   * means that level or higher. Empty means every level.
   */
  String value() default "";
}
