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

  /**
   * Whether the handler runs before or after the place. {@link Kind#ENTRY}, {@link Kind#RETURN}, {@link Kind#ERROR}, {@link
   * Kind#THROW} and {@link Kind#CATCH} have no after.
   */
  Where where() default Where.BEFORE;

  /**
   * For calls, fields, catches, casts, tests and creations: which class is concerned, an exact name or {@code /regex/};
   * empty means any. It is the class that the code names: of a call the static type of the receiver, of a catch the type
   * it declares, of an array the type of its innermost elements.
   */
  String clazz() default "";

  /** For {@link Kind#CALL}: which method is called, an exact name or {@code /regex/}; empty means any. */
  String method() default "";

  /**
   * For {@link Kind#FIELD_GET} and {@link Kind#FIELD_SET}: which field, an exact name or {@code /regex/}; empty means any.
   */
  String field() default "";

  /**
   * For calls the signature, as in {@link OnMethod#type()}; for fields the type; for {@link Kind#ARRAY_GET} and {@link
   * Kind#ARRAY_SET} the type of the array or of its elements as the instruction names it, {@code Object} for any reference
   * and {@code byte} for a boolean; empty means any.
   */
  String type() default "";

  /** For {@link Kind#LINE}, which needs it: the source line, counted from 1, or -1 for every line. */
  int line() default 0;
}
