package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the {@code long} handler parameter that receives the elapsed time in nanoseconds, at {@link Kind#RETURN},
 * {@link Kind#ERROR}, and {@link Kind#CALL} with {@link Where#AFTER}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Duration {}
