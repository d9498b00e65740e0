package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the handler parameter that receives the value returned: by the probed method at {@link Kind#RETURN}, or by
 * the instruction with {@link Where#AFTER} at {@link Kind#CALL}, {@link Kind#ARRAY_GET}, {@link Kind#FIELD_GET},
 * {@link Kind#NEW} and {@link Kind#NEWARRAY}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Return {}
