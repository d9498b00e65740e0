package io.btrace.agent;

import io.btrace.core.extensions.ExtensionConfigurator;
import io.btrace.core.extensions.ProbeConfiguration;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Lets the configurator of an extension choose probes. */
final class ConfiguratorRunner extends Limited {
  private final ClassLoader loader;
  private final String configurator;
  private final String[] arguments;
  private String[] chosen;

  ConfiguratorRunner(String id, ClassLoader loader, String configurator, String[] arguments) {
    super("configurator of " + id, 0);
    this.loader = loader;
    this.configurator = configurator;
    this.arguments = arguments;
  }

  /** See {@link io.btrace.extension.ExtensionBridge#configure}. */
  String[] chosen() {
    return chosen;
  }

  @Override
  void work() throws Throwable {
    Class<?> type = loader.loadClass(configurator);
    if (!ExtensionConfigurator.class.isAssignableFrom(type)) {
      throw new IllegalStateException(configurator + " is no ExtensionConfigurator");
    }
    // By a handle: what it links for the first time in this JVM is linked here, and not in code that links at will.
    MethodHandle maker = MethodHandles.publicLookup().findConstructor(type, MethodType.methodType(void.class));
    Object made = maker.asType(MethodType.methodType(Object.class)).invokeExact();
    ProbeConfiguration choice = ((ExtensionConfigurator) made).configure(new Environment(), ExtensionContextImpl.map(arguments, 0));
    List<String> texts = new ArrayList<String>();
    texts.add(choice == null ? "" : choice.getOutput().name());
    texts.add(choice == null || choice.getOutputPath() == null ? "" : choice.getOutputPath());
    if (choice != null) {
      for (String probe : choice.getEnabledProbes()) {
        Map<String, String> parameters = choice.getProbeParams(probe);
        texts.add(probe);
        texts.add(String.valueOf(parameters.size()));
        for (Map.Entry<String, String> parameter : parameters.entrySet()) {
          texts.add(parameter.getKey());
          texts.add(String.valueOf(parameter.getValue()));
        }
      }
    }
    chosen = texts.toArray(new String[texts.size()]);
  }
}
