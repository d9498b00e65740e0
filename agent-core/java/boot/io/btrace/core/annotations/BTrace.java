package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class as a probe. Its annotated public static methods are the handlers that the agent calls.
 *
 * <p>The agent reads this annotation, like every other one of this package, from the bytes of the probe class and
 * never through reflection, so a probe needs no annotation class at run time. All of them are runtime-visible: that
 * is the one attribute which the agent, the packager and probes compiled elsewhere agree on.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface BTrace {
  /** Name shown to users in place of the class name; empty means the class name. */
  String name() default "";

  /** What the probe is for, in one sentence. */
  String description() default "";

  /** Whether the probe asks to be exempt from the safety rules; older spelling of {@link #trusted()}. */
  boolean unsafe() default false;

  /** Whether the probe asks to be exempt from the safety rules. */
  boolean trusted() default false;
}
