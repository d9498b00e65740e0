package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the handler parameter that receives {@code this} of the probed method: null in a static method, and in a
 * constructor before the call of {@code super(...)} or {@code this(...)} has returned. A handler at the entry of a
 * constructor that asks for it runs then, not before.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Self {}
