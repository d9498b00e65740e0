package io.btrace.boot;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.jar.JarFile;

/**
 * The entry point of all start modes: {@code premain}, {@code agentmain}, {@code -agentpath} and {@code main}.
 *
 * <p>Invariants: does as little as possible; never throws into the JVM's agent machinery (it would abort the host);
 * writes nothing to stdout; uses no lambda, NIO, JUL or JMX, because it runs before the application's main.
 */
public final class Loader {
  /** Started by {@code -javaagent}. */
  public static final int PREMAIN = 0;

  /** Attached to a running JVM. */
  public static final int AGENTMAIN = 1;

  /** Started by {@code -agentpath} with {@code jar=}. */
  public static final int AGENTPATH = 2;

  /** System property that names the one running core: build id, SHA-256 of the core, path of the jar. */
  public static final String CORE_PROPERTY = "btrace.agent.core";

  private static final Object LOCK = new Object();
  private static int premains;
  private static volatile AgentMain agent;

  private Loader() {}

  /** Called by the JVM for {@code -javaagent}. */
  public static void premain(String arguments, Instrumentation instrumentation) {
    enter(PREMAIN, arguments, instrumentation);
  }

  /** Called by the JVM when the jar is attached. */
  public static void agentmain(String arguments, Instrumentation instrumentation) {
    enter(AGENTMAIN, arguments, instrumentation);
  }

  /** Called by the native core when it was loaded by {@code -agentpath} with {@code jar=}. */
  static void agentpath(String jar, String arguments) {
    if (!disabled()) {
      guarded(jar, AGENTPATH, arguments, null);
    }
  }

  /** Called by the launcher for {@code java -jar}: runs the client section. */
  public static void main(String[] arguments) throws Throwable {
    String jar = MaskedJarUtils.jarOf(Loader.class);
    String main = MaskedJarUtils.attribute(MaskedJarUtils.manifest(jar), "BTrace-Client-Main");
    if (main == null) {
      say(jar + " has no client; hint: it is an agent, start it with -javaagent:" + jar);
      System.exit(2);
    }
    MaskedClassLoader loader = new MaskedClassLoader(jar, "client", ClassLoader.getSystemClassLoader());
    Thread.currentThread().setContextClassLoader(loader);
    try {
      Class.forName(main, true, loader).getMethod("main", String[].class).invoke(null, (Object) arguments);
    } catch (java.lang.reflect.InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Called by the masked agent main class from its static initializer. */
  public static void register(AgentMain main) {
    agent = main;
  }

  /** The running agent, or null. */
  public static AgentMain agent() {
    return agent;
  }

  private static void enter(int mode, String arguments, Instrumentation instrumentation) {
    try {
      if (disabled()) {
        return;
      }
      String started = mode == PREMAIN ? StartedJar.ofPremain(premains++) : StartedJar.ofAgentmain();
      guarded(started, mode, arguments, instrumentation);
    } catch (Throwable t) {
      off(t);
    }
  }

  private static void guarded(String jar, int mode, String arguments, Instrumentation instrumentation) {
    try {
      byte[] manifest = MaskedJarUtils.manifest(jar);
      // Asked here, so that a start of the core does not load the class for the others.
      if (MaskedJarUtils.attribute(manifest, "BTrace-Agent-Parent") == null) {
        synchronized (LOCK) {
          start(jar, manifest, mode, arguments == null ? "" : arguments, instrumentation);
        }
      } else if (Loader.class.getClassLoader() != null) {
        reenter(jar, mode, arguments, instrumentation);
      } else {
        // Whichever jar this Loader came from: it has no state that belongs to one agent. No lock is held while their code
        // runs, which may wait for another start.
        ForeignAgent.start(jar, manifest, mode, arguments, instrumentation);
      }
    } catch (Throwable t) {
      off(t);
    }
  }

  private static void start(
      String jar, byte[] manifest, int mode, String arguments, Instrumentation instrumentation) throws Exception {
    String published = System.getProperty(CORE_PROPERTY);
    if (published != null) {
      again(jar, manifest, mode, arguments, published, instrumentation);
      return;
    }
    String id = MaskedJarUtils.attribute(manifest, "BTrace-Build-Id");
    if (Loader.class.getClassLoader() != null) {
      if (instrumentation == null) {
        throw new IllegalStateException("the boot classes of " + jar + " are not on the bootstrap class path");
      }
      reenter(jar, mode, arguments, instrumentation);
      return;
    }
    if (!isBoot(jar, id, StartedJar.isSureToBeBoot(jar, manifest, mode) ? id : StartedJar.bootBuildId())) {
      return;
    }
    String core = MaskedJarUtils.attribute(manifest, "BTrace-Native-SHA256");
    AgentMain registered = load(jar, manifest);
    System.setProperty(CORE_PROPERTY, id + " " + NativeLoader.digestOf(core) + " " + jar);
    boolean ok = false;
    try {
      registered.start(jar, arguments, mode, instrumentation);
      ok = true;
    } finally {
      if (!ok) {
        agent = null;
        System.clearProperty(CORE_PROPERTY);
      }
    }
  }

  /** Whether the boot classes are of this build; says so if they are not. */
  private static boolean isBoot(String jar, String id, String bootId) {
    if (id != null && id.equals(bootId)) {
      return true;
    }
    say("agent is off: " + jar + " (build " + id + ") was started, but its boot classes come from another jar (build "
        + bootId + "); hint: start one agent jar only, under the name it was built with");
    return false;
  }

  /** Initializes the masked agent main class, which registers itself. */
  private static AgentMain load(String jar, byte[] manifest) throws Exception {
    MaskedClassLoader loader = new MaskedClassLoader(jar, "agent", null);
    String main = MaskedJarUtils.attribute(manifest, "BTrace-Agent-Main");
    if (main == null) {
      throw new IllegalStateException(jar + " names no BTrace-Agent-Main");
    }
    Class.forName(main, true, loader);
    AgentMain registered = agent;
    if (registered == null) {
      throw new IllegalStateException("the agent main class " + main + " did not register itself");
    }
    return registered;
  }

  /** Whether nothing is asked for but that probes go, whoever asks. */
  private static boolean isOff(String arguments) {
    return arguments.equals("off") || arguments.startsWith("off,client=");
  }

  /** A core runs in this JVM: the same build gets the arguments, another one is told so. */
  private static void again(
      String jar, byte[] manifest, int mode, String arguments, String published, Instrumentation instrumentation)
      throws Exception {
    int first = published.indexOf(' ');
    int second = published.indexOf(' ', first + 1);
    String running = published.substring(second + 1);
    String runningId = published.substring(0, first);
    // Removing probes is what an operator in trouble asks for; it does not depend on which jar carries the request.
    if (!isOff(arguments)) {
      String id = MaskedJarUtils.attribute(manifest, "BTrace-Build-Id");
      if (!runningId.equals(id)) {
        say("not started: " + jar + " (build " + id + "): this JVM already runs " + running + " (build " + runningId
            + "); hint: start one agent jar only");
        return;
      }
    }
    AgentMain main = agent;
    if (main != null) {
      main.again(arguments, mode);
      return;
    }
    if (Loader.class.getClassLoader() != null) {
      // This Loader is a copy of the class path; a running agent registered with the boot copy, if there is one.
      Class<?> boot;
      try {
        boot = Class.forName("io.btrace.boot.Loader", true, null);
      } catch (ClassNotFoundException e) {
        // The core was started by -agentpath without Java.
        if (!isOff(arguments)) {
          reenter(jar, mode, arguments, instrumentation);
        }
        return;
      }
      enterBoot(boot, jar, mode, arguments, instrumentation);
      return;
    }
    // The core was started by -agentpath without Java, which it did not need until now: it has no probes.
    if (isOff(arguments) || !isBoot(running, runningId, StartedJar.bootBuildId())) {
      return;
    }
    main = load(running, MaskedJarUtils.manifest(running));
    boolean ok = false;
    try {
      NativeCore.bind();
      ok = true;
    } finally {
      if (!ok) {
        agent = null;
      }
    }
    main.again(arguments, mode);
  }

  /** The jar was renamed, so that its Boot-Class-Path names nothing: append it once and go on in the boot copy. */
  private static void reenter(String jar, int mode, String arguments, Instrumentation instrumentation)
      throws Exception {
    say(jar + " is not on the bootstrap class path because it was renamed after it was built; appending it");
    instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar));
    enterBoot(Class.forName("io.btrace.boot.Loader", true, null), jar, mode, arguments, instrumentation);
  }

  private static void enterBoot(
      Class<?> boot, String jar, int mode, String arguments, Instrumentation instrumentation) throws Exception {
    java.lang.reflect.Method method =
        boot.getDeclaredMethod("guarded", String.class, int.class, String.class, Instrumentation.class);
    method.setAccessible(true);
    method.invoke(null, jar, mode, arguments, instrumentation);
  }

  private static boolean disabled() {
    if ("false".equalsIgnoreCase(System.getProperty("btrace.agent.enabled"))
        || "false".equalsIgnoreCase(System.getenv("BTRACE_AGENT_ENABLED"))) {
      return true;
    }
    String file = System.getProperty("btrace.agent.offFile");
    return file != null && new File(file).exists();
  }

  private static void off(Throwable t) {
    say("agent is off: " + t);
    if (Boolean.getBoolean("btrace.boot.debug")) {
      t.printStackTrace();
    }
  }

  /** One line on stderr; stdout belongs to the application. */
  static void say(String line) {
    System.err.println("[fatagent] " + line);
  }
}
