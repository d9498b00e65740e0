package io.btrace.agent;

import io.btrace.boot.NativeCore;
import io.btrace.core.extensions.ExtensionContext;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What an extension is told about itself and the probe that uses it. */
final class ExtensionContextImpl implements ExtensionContext {
  private final int number;
  private final String probe;
  private final Set<String> permissions;
  private final String id;
  private final Map<String, String> arguments;

  /**
   * @param extension see {@link NativeCore#extensionOf}
   * @param number of the probe
   */
  ExtensionContextImpl(String[] extension, int number, String probe) {
    this.number = number;
    this.probe = probe;
    Set<String> names = new LinkedHashSet<String>();
    for (String name : extension[3].split(",")) {
      if (!name.isEmpty()) {
        names.add(name);
      }
    }
    permissions = Collections.unmodifiableSet(names);
    id = extension[0];
    arguments = map(NativeCore.parameters(number), 0);
  }

  /** Names and values in turn. */
  static Map<String, String> map(String[] texts, int from) {
    Map<String, String> values = new LinkedHashMap<String, String>();
    for (int i = from; i + 1 < texts.length; i += 2) {
      values.put(texts[i], texts[i + 1]);
    }
    return Collections.unmodifiableMap(values);
  }

  int probe() {
    return number;
  }

  /** Whichever thread asks: it is the probe's output. */
  @Override
  public void send(String message) {
    NativeCore.write(number, message + "\n");
  }

  @Override
  public Map<String, String> getArgs() {
    return arguments;
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
    return map(NativeCore.extensionSettings(id), 0);
  }
}
