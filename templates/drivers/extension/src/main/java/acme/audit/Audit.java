package acme.audit;

/** Counts events by their names. Safe for several threads at once. */
public interface Audit {
  /** Counts an event and returns how many there were of this name. */
  long count(String name);
}
