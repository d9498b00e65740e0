package io.btrace.core.extensions;

import java.util.Map;
import java.util.Set;

/** What an extension may use of the agent, and what it is told about the probe that it works for. */
public interface ExtensionContext {
  /**
   * Writes one line to where the probe's output goes.
   *
   * @param message the line, without a line end
   */
  void send(String message);

  /**
   * Returns the arguments given to the probe.
   *
   * @return unmodifiable, in the order given; empty when there are none
   */
  Map<String, String> getArgs();

  /** Returns the dotted name of the probe class. */
  String getScriptClassName();

  /**
   * Returns the names of the permissions that policy granted to this extension.
   *
   * @return unmodifiable; the names are those of {@link Permission}
   */
  Set<String> getPermissions();

  /**
   * Returns whether a permission was granted.
   *
   * @param permission a name of {@link Permission}, in upper or lower case; an unknown name is never granted
   */
  boolean hasPermission(String permission);

  /**
   * Returns whether a permission was granted.
   *
   * @param permission null is never granted
   */
  default boolean hasPermission(Permission permission) {
    return permission != null && hasPermission(permission.name());
  }

  /**
   * Returns this extension's settings: the keys {@code <id>.<name>} of the agent's configuration, without the id and
   * the dot, over the defaults that the extension declares. Of several ids that fit a key, the longest one owns it.
   *
   * <p>Each call gives them as they are: a configuration file that was changed is read again.
   *
   * @return unmodifiable; empty when nothing is configured and no setting has a default
   */
  Map<String, String> getSettings();
}
