package io.btrace.core.extensions;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a public top-level interface as a service that probes can have injected.
 *
 * <p>The interface is put where every class of the JVM can see it, so its signatures may name only JDK types and other
 * types of the same API. The packager reads the annotation from the class file; it is not needed at run time.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ServiceDescriptor {
  /** Permissions that this service needs, beyond those that the packager finds by scanning. */
  Permission[] permissions() default {};
}
