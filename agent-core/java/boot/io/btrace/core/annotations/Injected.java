package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a static field of a probe as a service of an extension. Reads of the field are linked, on first use, to the
 * extension that offers a service of the field's type, which must be an interface annotated as a service.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Injected {
  /** Whether the probe can do without the service: as {@link Mode#SHIM}, where no mode is given. */
  boolean optional() default false;

  /** What a read of the field gives when the service is missing or not permitted. */
  Mode mode() default Mode.UNSPECIFIED;

  /** What a read of a field gives when its service is missing or not permitted. */
  enum Mode {
    /** As {@link Injected#optional()} says; else nothing, and the handler that reads the field fails with the reason. */
    UNSPECIFIED,
    /** An object of which every call does nothing and returns null, zero or false. */
    SHIM,
    /** An object of which every call fails with the reason. */
    THROW
  }
}
