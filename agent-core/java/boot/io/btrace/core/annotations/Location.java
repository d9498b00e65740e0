package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The place in a matched method at which a handler is called. Used only inside {@link OnMethod#location()}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface Location {
  /** The kind of place. */
  Kind value() default Kind.ENTRY;

  /** Whether the handler runs before or after the place, for the kinds that have an after. */
  Where where() default Where.BEFORE;

  /** For calls, fields, throws, catches, casts, tests and creations: which class is concerned; empty means any. */
  String clazz() default "";

  /** For {@link Kind#CALL}: which method is called; empty means any. */
  String method() default "";

  /** For {@link Kind#FIELD_GET} and {@link Kind#FIELD_SET}: which field; empty means any. */
  String field() default "";

  /** The type of the field or method concerned, as in {@link OnMethod#type()}; empty means any. */
  String type() default "";

  /** For {@link Kind#LINE}: the source line, counted from 1; 0 is no line and -1 every line. */
  int line() default 0;
}
