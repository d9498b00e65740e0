package io.btrace.core.annotations;

/** The kinds of places at which a handler can be called. */
public enum Kind {
  /** An element of an array is read. */
  ARRAY_GET,
  /** An element of an array is written. */
  ARRAY_SET,
  /** A method is called from the probed method. */
  CALL,
  /** An exception arrives in a handler of the probed method. */
  CATCH,
  /** A reference is cast. */
  CHECKCAST,
  /** The probed method is entered. */
  ENTRY,
  /** The probed method is left by an exception that it does not catch. */
  ERROR,
  /** A field is read. */
  FIELD_GET,
  /** A field is written. */
  FIELD_SET,
  /** A reference is tested for its type. */
  INSTANCEOF,
  /** A source line is reached. */
  LINE,
  /** An object is created. */
  NEW,
  /** An array is created. */
  NEWARRAY,
  /** The probed method returns normally. */
  RETURN,
  /** A monitor is entered; on a synchronized method, its entry. */
  SYNC_ENTRY,
  /** A monitor is left; on a synchronized method, its return. */
  SYNC_EXIT,
  /** The probed method throws an exception itself. */
  THROW
}
