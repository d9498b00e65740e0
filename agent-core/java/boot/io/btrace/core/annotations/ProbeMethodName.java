package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the {@code String} handler parameter that receives the name of the probed method.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface ProbeMethodName {
  /** Whether the value is the full signature, with return type, class and parameter types, in place of the name. */
  boolean fqn() default false;
}
