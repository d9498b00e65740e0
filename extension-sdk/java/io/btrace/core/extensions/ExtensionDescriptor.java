package io.btrace.core.extensions;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Describes an extension. At most one package of an extension's API carries it, in its {@code package-info.java}. A
 * value that the build states too is taken from the build.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PACKAGE)
public @interface ExtensionDescriptor {
  /** The name shown to users. */
  String name() default "";

  /** The extension's version. */
  String version() default "";

  /** What the extension offers, in one sentence. */
  String description() default "";

  /** The lowest version of the agent's API that the extension works with. */
  String minBTraceVersion() default "";

  /** Extensions that must be present. */
  Class<? extends Extension>[] dependencies() default {};

  /** Permissions that the extension needs, beyond those of its services and those found by scanning. */
  Permission[] permissions() default {};
}
