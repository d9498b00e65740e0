package io.btrace.core.extensions;

/**
 * Base class of an extension's implementation: the class that stands behind a service interface.
 *
 * <p>The agent creates it by its public constructor without parameters, calls {@link #initialize(ExtensionContext)}
 * once, and only then hands it to a probe. {@link #close()} is called when the probe that it was made for goes away.
 *
 * <p>A service is called from the application's own threads, several at once, in the middle of their work. It must be
 * safe for that, must not block, and should not throw: an exception is swallowed, but costs the application time.
 *
 * <p>An implementation sees the JDK, this package, the service interfaces and its own packed dependencies. It does not
 * see the application's classes, and the application does not see it.
 */
public abstract class Extension implements AutoCloseable {
  private volatile ExtensionContext context;

  /** For subclasses, which need a public constructor without parameters. */
  protected Extension() {}

  /**
   * Takes the context. An override calls {@code super.initialize(context)} first; what is needed from the context, or
   * can fail, belongs here rather than into the constructor.
   *
   * @param context what this extension may use of the agent; never null
   */
  public void initialize(ExtensionContext context) {
    this.context = context;
  }

  /** Releases what {@link #initialize(ExtensionContext)} acquired. Must not throw. */
  @Override
  public void close() {}

  /**
   * Returns the context.
   *
   * @return never null
   * @throws IllegalStateException before {@link #initialize(ExtensionContext)} was called
   */
  protected final ExtensionContext getContext() {
    ExtensionContext current = context;
    if (current == null) {
      throw new IllegalStateException("no context before initialize() of " + getClass().getName());
    }
    return current;
  }
}
