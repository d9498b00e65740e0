package vitals;

/** One figure about the running JVM: a service, each of whose providers has a section of its own. */
public interface Vital {
  /** The figure now; the provider says of what. */
  long value();
}
