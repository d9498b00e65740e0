package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the handler parameter that receives the object concerned by the place: the receiver of a call, the owner of
 * a field, the array, the object tested or cast, the lock, or the {@link Throwable} at {@link Kind#THROW}, {@link
 * Kind#CATCH} and {@link Kind#ERROR}. It is null where there is none, such as at a static call.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface TargetInstance {}
