package io.btrace.core.annotations;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Calls a handler for some of its events only. Legal beside {@link OnMethod} at {@link Kind#ENTRY}, {@link
 * Kind#RETURN}, {@link Kind#ERROR} and {@link Kind#CALL}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Sampled {
  /** {@link #mean()} when it is left out. */
  int MEAN_DEFAULT = 10;

  /** How events are chosen. */
  Sampler kind() default Sampler.Const;

  /**
   * For {@link Sampler#Const} the average number of events of which one is taken, for {@link Sampler#Adaptive} the least time
   * between two that are taken, over all threads, in nanoseconds. At least 1.
   */
  int mean() default MEAN_DEFAULT;

  /** How events are chosen. */
  enum Sampler {
    /** All are taken. */
    None,
    /** One of a number, on average. */
    Const,
    /** At most one in a time, however many events there are. */
    Adaptive
  }
}
