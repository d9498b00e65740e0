package io.btrace.extension;

/** An extension must not be used, which the core has told already. */
public final class Refused extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /** @param reason why, and what to do about it */
  public Refused(String reason) {
    super(reason);
  }
}
