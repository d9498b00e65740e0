package io.btrace.boot;

/** The native methods of the agent core; bound by {@code RegisterNatives} when the library is loaded. */
public final class NativeCore {
  private NativeCore() {}

  /**
   * Starts the core in this JVM.
   *
   * @param jar absolute path of the agent jar
   * @param arguments agent arguments as typed
   * @param mode start mode of {@link Loader}
   * @return null, or the reason why the core is off
   */
  public static native String start(String jar, String arguments, int mode);

  /**
   * Binds the other methods to a core that {@code -agentpath} started without Java. Not registered: the JVM finds it by its
   * name in the library of the agent.
   */
  static native void bind();

  /** Arguments of a later start of the same build, or {@code off}; null, or what went wrong. */
  public static native String again(String arguments, int mode);

  /** Writes text to the output of a probe; id 0 is the agent's own log. */
  public static native void write(int probe, String text);

  /**
   * The number of the level that system properties give to a logger, or -1; for an empty name that of the whole log. A lower
   * number says more.
   */
  public static native int logLevel(String name);

  /** Writes a line of a logger to the agent's log, whose level was asked before. */
  public static native void log(String name, int level, String text);

  /** Call name and erased descriptor of a direct site, separated by a space, or null. */
  public static native String site(int site);

  /**
   * Whether what the name of a site depends on holds, see {@code probe::Condition}: 1 if it does, 0 if it never will, and -1
   * as long as a class was not loaded, so that there can be no value of it.
   */
  public static native int fits(String name);

  /**
   * The extension that offers a service: id, why it cannot be used or nothing, {@code refused} where that is a decision and told
   * already or nothing, comma-separated permissions, the class that implements the service, the classes that stand in for it by
   * doing nothing and by failing or nothing each; or null.
   */
  public static native String[] extensionOf(String service);

  /** Names and values of an extension's settings in turn, as files and variables have them now. */
  public static native String[] extensionSettings(String id);

  /** An extension by its id: the file that it lies in, then the ids of those that it requires; or null. */
  public static native String[] extension(String id);

  /** The class file of a class of an extension, or null; a damaged one is a {@link ClassFormatError}. */
  public static native byte[] extensionClass(String id, String name);

  /** The content of a file of an extension, or null. */
  public static native byte[] extensionFile(String id, String path) throws java.io.IOException;

  /**
   * What an extension says of a package: six texts for {@code definePackage}, and whether it is sealed, each after {@code =}, or
   * empty where it says nothing. Null where there is no such extension.
   */
  public static native String[] extensionPackage(String id, String name);

  /** Where a file of an extension is within the one that the extension lies in, or null. */
  public static native String extensionAddress(String id, String path);

  /** The parameters of a probe: names and values in turn; never null. */
  public static native String[] parameters(int probe);

  /** Defines what the first link of a service needs in the loader of the section {@code agent}. */
  public static native void preload(ClassLoader agent);

  /**
   * A library of an extension, put where it can be loaded; a caller that is another loader than the one before gets another copy.
   *
   * @param name of the file
   * @param target the running system, see {@link NativeLoader#target}
   * @param folders the configured one, the one in the user's home, the one for temporary files; each empty where there is none
   * @return the path, then what has to be deleted at exit, folders first; or null
   */
  public static native String[] extensionLibrary(String id, String name, String target, String[] folders);

  /** No loader needs the files of an extension for now. */
  public static native void extensionClosed(String id);

  /**
   * The class file of a class that implements an interface without doing anything.
   *
   * @param name internal name of the class
   * @param service internal name of the interface
   * @param methods names and descriptors in turn
   * @param message what each method fails with, or null
   */
  public static native byte[] shim(String name, String service, String[] methods, String message);

  /** Runs the client: attaches, extracts, prints help. Returns the exit code. */
  public static native int client(String jar, String[] arguments);
}
