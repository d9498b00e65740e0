package io.btrace.agent;

import io.btrace.core.extensions.ExtensionContext;
import io.btrace.runtime.BTraceRuntime;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What an embedded extension is told about itself and the probe that uses it. */
final class ExtensionContextImpl implements ExtensionContext {
  private final String probe;
  private final Set<String> permissions;
  private final Map<String, String> settings;

  /** @param extension id, comma-separated permissions, then names and values of settings in turn */
  ExtensionContextImpl(String[] extension, String probe) {
    this.probe = probe;
    Set<String> names = new LinkedHashSet<String>();
    for (String name : extension[1].split(",")) {
      if (!name.isEmpty()) {
        names.add(name);
      }
    }
    permissions = Collections.unmodifiableSet(names);
    Map<String, String> values = new LinkedHashMap<String, String>();
    for (int i = 2; i + 1 < extension.length; i += 2) {
      values.put(extension[i], extension[i + 1]);
    }
    settings = Collections.unmodifiableMap(values);
  }

  @Override
  public void send(String message) {
    BTraceRuntime.send(message);
  }

  @Override
  public Map<String, String> getArgs() {
    return Collections.emptyMap();
  }

  @Override
  public String getScriptClassName() {
    return probe;
  }

  @Override
  public Set<String> getPermissions() {
    return permissions;
  }

  @Override
  public boolean hasPermission(String permission) {
    return permission != null && permissions.contains(permission.toUpperCase(Locale.ROOT));
  }

  @Override
  public Map<String, String> getSettings() {
    return settings;
  }
}
