package io.btrace.core.extensions;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A configurator's choice: which probes run, where their output goes, and with which parameters. Not safe for use by
 * several threads at once.
 */
public final class ProbeConfiguration {
  private final List<String> enabledProbes = new ArrayList<String>();
  private final Map<String, Map<String, String>> parameters = new LinkedHashMap<String, Map<String, String>>();
  private Output output = Output.JFR;
  private String outputPath;

  /** Starts with no probe enabled and {@link Output#JFR}. */
  public ProbeConfiguration() {}

  /**
   * Enables probes; a name given twice counts once.
   *
   * @param probeNames dotted or simple class names of embedded probes
   * @return this
   */
  public ProbeConfiguration enable(String... probeNames) {
    for (String name : probeNames) {
      if (!enabledProbes.contains(name)) {
        enabledProbes.add(name);
      }
    }
    return this;
  }

  /**
   * Chooses the output.
   *
   * @return this
   */
  public ProbeConfiguration setOutput(Output output) {
    if (output == null) {
      throw new IllegalArgumentException("no output given");
    }
    this.output = output;
    return this;
  }

  /**
   * Chooses the output by name.
   *
   * @param name a name of {@link Output} in upper or lower case; null or empty leaves the choice as it is
   * @return this
   * @throws IllegalArgumentException for any other name
   */
  public ProbeConfiguration setOutput(String name) {
    if (name == null || name.isEmpty()) {
      return this;
    }
    for (Output candidate : Output.values()) {
      if (candidate.name().equals(name.toUpperCase(Locale.ROOT))) {
        output = candidate;
        return this;
      }
    }
    throw new IllegalArgumentException("unknown output `" + name + "`: expected jfr, file or stdout");
  }

  /**
   * Sets the file that {@link Output#FILE} writes.
   *
   * @return this
   */
  public ProbeConfiguration setOutputPath(String path) {
    outputPath = path;
    return this;
  }

  /**
   * Sets a parameter of one probe; a later value replaces an earlier one.
   *
   * @return this
   */
  public ProbeConfiguration setProbeParam(String probeName, String parameter, String value) {
    Map<String, String> ofProbe = parameters.get(probeName);
    if (ofProbe == null) {
      ofProbe = new LinkedHashMap<String, String>();
      parameters.put(probeName, ofProbe);
    }
    ofProbe.put(parameter, value);
    return this;
  }

  /** Returns the enabled probes, unmodifiable, in the order in which they were enabled. */
  public List<String> getEnabledProbes() {
    return Collections.unmodifiableList(enabledProbes);
  }

  /** Returns whether any probe is enabled. */
  public boolean hasEnabledProbes() {
    return !enabledProbes.isEmpty();
  }

  /** Returns the output; never null. */
  public Output getOutput() {
    return output;
  }

  /** Returns the file that {@link Output#FILE} writes, or null when the agent is to choose one. */
  public String getOutputPath() {
    return outputPath;
  }

  /** Returns the parameters of a probe, unmodifiable; empty when there are none. */
  public Map<String, String> getProbeParams(String probeName) {
    Map<String, String> ofProbe = parameters.get(probeName);
    return ofProbe == null
        ? Collections.<String, String>emptyMap()
        : Collections.unmodifiableMap(ofProbe);
  }

  /** Where the output of the enabled probes goes. */
  public enum Output {
    /** Events of the flight recorder. */
    JFR,
    /** A file. */
    FILE,
    /** The standard output of the JVM. */
    STDOUT
  }
}
