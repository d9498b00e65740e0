package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Binds a handler, a public static void method of a {@link BTrace} class, to places in the application's methods.
 *
 * <p>Class patterns are tried in this order of spelling: {@code /regex/} against the whole dotted name,
 * {@code @Name} or {@code @/regex/} for classes that carry an annotation, {@code +Name} for the subtypes of a type,
 * anything else as an exact dotted name ({@code $} before a nested class). Method patterns are an exact name,
 * {@code /regex/}, {@code @Name} or {@code @/regex/}. {@code ${key}} is replaced by the probe's argument of that key.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OnMethod {
  /** Which classes: a pattern as described above. */
  String clazz();

  /** Which methods: a pattern as described above; empty means the name of the handler. */
  String method() default "";

  /**
   * Whether the types of arguments and results must be those of the handler's parameters; otherwise subtypes match too,
   * and primitives whose box is one.
   */
  boolean exactTypeMatch() default false;

  /**
   * Which overload: return and parameter types as in Java source without names, for instance
   * {@code "void (java.lang.String, int)"}; empty means every overload that fits the handler.
   */
  String type() default "";

  /** Where in the matched methods the handler is called; the entry when left out. */
  Location location() default @Location(Kind.ENTRY);

  /** The instrumentation levels at which the handler is active; always when left out. */
  Level enableAt() default @Level;
}
