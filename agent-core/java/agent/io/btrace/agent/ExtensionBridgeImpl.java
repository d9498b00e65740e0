package io.btrace.agent;

import io.btrace.boot.NativeCore;
import io.btrace.extension.ExtensionBridge;
import io.btrace.extension.Refused;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes and closes services. An extension has a loader while one of its services is in use: with the last one it is let go,
 * and all its classes with it.
 */
final class ExtensionBridgeImpl implements ExtensionBridge {
  private final ClassLoader visible;
  private final Map<String, Loaded> loaded = new HashMap<String, Loaded>();
  /** Extensions that did not begin in time, and what was told about them. */
  private final Map<String, String> off = new HashMap<String, String>();
  /** Extensions whose loaders wait for those of others. */
  private final Set<String> loading = new HashSet<String>();
  private final Map<Object, Use> uses = new IdentityHashMap<Object, Use>();

  /** An extension that has a loader. */
  private static final class Loaded {
    final ExtensionClassLoader loader;
    final Loaded[] required;
    /** Services in use, and extensions that require this one. */
    int users;

    Loaded(ExtensionClassLoader loader, Loaded[] required) {
      this.loader = loader;
      this.required = required;
    }
  }

  /** A service that is in use; a factory may hand out one object several times. */
  private static final class Use {
    final Loaded of;
    int count;

    Use(Loaded of) {
      this.of = of;
    }
  }

  ExtensionBridgeImpl(ClassLoader agent) {
    this.visible = new SharedFilter(agent);
  }

  @Override
  public Class<?> getExtensionClass(String service) throws Exception {
    String[] extension = extension(service);
    Loaded from = take(extension[0]);
    try {
      return implementation(from, extension, service);
    } finally {
      release(from);
    }
  }

  @Override
  public Object open(String service, String factory, int probe, String probeName) throws Exception {
    String[] extension = extension(service);
    String id = extension[0];
    Loaded from = take(id);
    boolean ok = false;
    try {
      ServiceMaker maker = new ServiceMaker(id, implementation(from, extension, service), Class.forName(service, false, null),
          factory, new ExtensionContextImpl(extension, probe, probeName));
      if (!maker.runInTime()) {
        throw new IllegalStateException(late(id, service));
      }
      Object made = maker.made();
      synchronized (this) {
        Use use = uses.get(made);
        if (use == null) {
          use = new Use(from);
          uses.put(made, use);
        }
        use.count++;
      }
      ok = true;
      return made;
    } finally {
      if (!ok) {
        release(from);
      }
    }
  }

  /** The loader stays until the last service goes, so that a service finds what the configurator left in static fields. */
  @Override
  public String[] configure(String id, String configurator, String[] arguments) throws Exception {
    Loaded from = take(id);
    boolean ok = false;
    try {
      ConfiguratorRunner runner = new ConfiguratorRunner(id, from.loader, configurator, arguments);
      if (!runner.runInTime()) {
        throw new IllegalStateException("it did not choose within " + Limited.SECONDS + " s");
      }
      ok = true;
      return runner.chosen();
    } finally {
      if (ok) {
        keep(from);
      } else {
        release(from);
      }
    }
  }

  /** All at once, and none waits longer than the limit: what hangs holds up the application once, not once for each. */
  @Override
  public String[] load(String[] extensions) {
    EagerLoad[] loads = new EagerLoad[extensions.length];
    long limit = Limited.limit();
    for (int i = 0; i < loads.length; i++) {
      loads[i] = new EagerLoad(this, extensions[i].split(" "));
      loads[i].start();
    }
    List<String> problems = new ArrayList<String>();
    for (EagerLoad load : loads) {
      String problem = null;
      try {
        if (!load.endsBy(limit)) {
          problem = "it was not loaded within " + Limited.SECONDS + " s";
        }
      } catch (Throwable t) {
        problem = t instanceof IllegalStateException ? t.getMessage() : t.toString();
      }
      if (problem != null) {
        problems.add(load.id());
        problems.add(problem);
      }
    }
    return problems.toArray(new String[problems.size()]);
  }

  /** The loader stays until the last service goes, which may come long after. */
  void loadImplementations(String[] idAndServices) throws Exception {
    Loaded from = take(idAndServices[0]);
    boolean ok = false;
    try {
      for (int i = 1; i < idAndServices.length; i++) {
        Class<?> implementation = implementation(from, extension(idAndServices[i]), idAndServices[i]);
        Class.forName(implementation.getName(), true, from.loader);
      }
      ok = true;
    } finally {
      if (ok) {
        keep(from);
      } else {
        release(from);
      }
    }
  }

  private synchronized void keep(Loaded one) {
    one.users--;
  }

  private synchronized String late(String id, String service) {
    String text = "extension " + id + " is off: its service " + service + " was not ready after " + Limited.SECONDS + " s";
    if (off.put(id, text) == null) {
      NativeCore.write(0, text + "; hint: what takes long belongs to a thread of its own");
    }
    return text;
  }

  private synchronized String[] extension(String service) {
    String[] found = NativeCore.extensionOf(service);
    if (found == null) {
      throw new IllegalStateException("no extension offers it");
    }
    if (!found[2].isEmpty()) {
      throw new Refused(found[1]);
    }
    String reason = off.get(found[0]);
    if (reason == null && !found[1].isEmpty()) {
      reason = found[1];
    }
    if (reason != null) {
      throw new IllegalStateException(reason);
    }
    return found;
  }

  private static Class<?> implementation(Loaded from, String[] extension, String service) throws Exception {
    Class<?> implementation = from.loader.loadClass(extension[4]);
    if (!Class.forName(service, false, null).isAssignableFrom(implementation)) {
      throw new IllegalStateException(extension[4] + " of extension " + extension[0] + " does not implement it");
    }
    return implementation;
  }

  @Override
  public Object standIn(Class<?> service, String message) throws Exception {
    String[] extension = NativeCore.extensionOf(service.getName());
    String brought = extension == null ? "" : extension[message == null ? 5 : 6];
    Class<?> type = null;
    if (!brought.isEmpty()) {
      try {
        // Of the API only: nothing of an extension that must not be used is run.
        type = Class.forName(brought, true, null);
      } catch (ClassNotFoundException e) {
        type = null;
      }
    }
    if (type == null || !service.isAssignableFrom(type)) {
      type = StandIns.define(service, message);
    }
    return type.getConstructor().newInstance();
  }

  @Override
  public void close(List<Object> services) {
    List<Object> last = new ArrayList<Object>();
    List<Loaded> of = new ArrayList<Loaded>();
    synchronized (this) {
      for (Object service : services) {
        Use use = uses.get(service);
        if (use != null && --use.count == 0) {
          uses.remove(service);
          last.add(service);
        }
        if (use != null) {
          of.add(use.of);
        }
      }
    }
    try {
      if (!last.isEmpty() && !new ServiceCloser(last).runInTime()) {
        NativeCore.write(0, "extensions were not closed after " + Limited.SECONDS + " s, and are left to themselves");
      }
    } catch (Throwable t) {
      // The closer itself could not run; the application goes on.
    }
    for (Loaded loader : of) {
      release(loader);
    }
  }

  /** The loader of an extension, for one more user. */
  private synchronized Loaded take(String id) throws IOException {
    Loaded known = loaded.get(id);
    if (known == null) {
      if (!loading.add(id)) {
        throw new IllegalStateException("extension " + id + " requires itself");
      }
      String[] about = NativeCore.extension(id);
      if (about == null) {
        throw new IllegalStateException("extension " + id + " is not there");
      }
      Loaded[] required = new Loaded[about.length - 1];
      ExtensionClassLoader[] loaders = new ExtensionClassLoader[required.length];
      int n = 0;
      boolean ok = false;
      try {
        for (; n < required.length; n++) {
          required[n] = take(about[n + 1]);
          loaders[n] = required[n].loader;
        }
        known = new Loaded(new ExtensionClassLoader(id, about[0], loaders, visible), required);
        ok = true;
      } finally {
        loading.remove(id);
        while (!ok && n > 0) {
          release(required[--n]);
        }
      }
      loaded.put(id, known);
    }
    known.users++;
    return known;
  }

  private synchronized void release(Loaded one) {
    if (--one.users == 0) {
      loaded.remove(one.loader.id());
      NativeCore.extensionClosed(one.loader.id());
      for (Loaded required : one.required) {
        release(required);
      }
    }
  }

  /** Shows the bootstrap, the platform loader and, of the agent's classes, those that extensions are written against. */
  private static final class SharedFilter extends ClassLoader {
    static {
      registerAsParallelCapable();
    }

    private final ClassLoader agent;

    SharedFilter(ClassLoader agent) {
      super(platform());
      this.agent = agent;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith("io.btrace.core.extensions.") || name.startsWith("io.btrace.extension.util.")) {
        return agent.loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }

    /** The platform loader, whose accessor Java 8 does not have: the last ancestor of the system loader. */
    private static ClassLoader platform() {
      ClassLoader at = ClassLoader.getSystemClassLoader();
      while (at.getParent() != null) {
        at = at.getParent();
      }
      return at;
    }
  }
}
