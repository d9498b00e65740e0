package io.btrace.agent;

import io.btrace.boot.MaskedClassLoader;
import io.btrace.boot.MaskedJarUtils;
import io.btrace.boot.NativeCore;
import io.btrace.core.extensions.Extension;
import io.btrace.extension.ExtensionBridge;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Finds and loads the extensions that the jar embeds, each in a loader of its own. */
final class ExtensionBridgeImpl implements ExtensionBridge {
  private final MaskedClassLoader agent;
  private final ClassLoader visible;
  private final Map<String, ExtensionClassLoader> loaders = new HashMap<String, ExtensionClassLoader>();

  ExtensionBridgeImpl(MaskedClassLoader agent) {
    this.agent = agent;
    this.visible = new SharedFilter(agent);
  }

  @Override
  public Class<?> getExtensionClass(String service) throws Exception {
    ExtensionClassLoader loader = loader(extension(service)[0]);
    String provider = provider(loader, service);
    Class<?> implementation = loader.loadClass(provider);
    Class<?> api = Class.forName(service, false, null);
    if (!api.isAssignableFrom(implementation)) {
      throw new IllegalStateException(provider + " in extension " + loader.id() + " does not implement " + service);
    }
    return implementation;
  }

  @Override
  public void initialize(Object instance, String service, String probe) throws Exception {
    if (instance instanceof Extension) {
      ((Extension) instance).initialize(new ExtensionContextImpl(extension(service), probe));
    }
  }

  private static String[] extension(String service) {
    String[] found = NativeCore.extensionOf(service);
    if (found == null) {
      throw new IllegalStateException("no embedded extension offers " + service);
    }
    if (found.length == 1) {
      throw new IllegalStateException(found[0]);
    }
    return found;
  }

  private synchronized ExtensionClassLoader loader(String id) throws IOException {
    ExtensionClassLoader loader = loaders.get(id);
    if (loader == null) {
      loader = new ExtensionClassLoader(agent.jar(), id, visible);
      loaders.put(id, loader);
    }
    return loader;
  }

  /** The first provider in the service descriptor, else {@code <Service>Impl}. */
  private static String provider(ExtensionClassLoader loader, String service) throws IOException {
    byte[] descriptor = loader.resource("META-INF/services/" + service);
    if (descriptor != null) {
      for (String line : new String(descriptor, "UTF-8").split("\n")) {
        int comment = line.indexOf('#');
        String name = (comment < 0 ? line : line.substring(0, comment)).trim();
        if (!name.isEmpty()) {
          return name;
        }
      }
    }
    return service + "Impl";
  }

  /** Shows the bootstrap, the platform loader and, of the agent's classes, those that extensions are written against. */
  private static final class SharedFilter extends ClassLoader {
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

    /** The system loader's parent: the platform loader, whose accessor Java 8 does not have. */
    private static ClassLoader platform() {
      return ClassLoader.getSystemClassLoader().getParent();
    }
  }
}
