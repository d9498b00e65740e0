package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the {@code String} handler parameter that receives the name of the method called ({@link Kind#CALL}), of
 * the field concerned ({@link Kind#FIELD_GET}, {@link Kind#FIELD_SET}), or the type of the array ({@link Kind#ARRAY_GET},
 * {@link Kind#ARRAY_SET}), which has no name.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface TargetMethodOrField {
  /** Whether the value is the full signature, with types and class, in place of the name. */
  boolean fqn() default false;
}
