package io.btrace.gradle;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes the description that {@code fatagent} reads. */
final class Toml {
  private final StringBuilder text = new StringBuilder();

  Toml table(String name) {
    text.append("\n[").append(name).append("]\n");
    return this;
  }

  Toml element(String name) {
    text.append("\n[[").append(name).append("]]\n");
    return this;
  }

  Toml put(String key, Object value) {
    string(key, false);
    text.append(" = ");
    value(value);
    text.append('\n');
    return this;
  }

  /** {@code key = { inner = value }} */
  void inline(String key, String inner, Object value) {
    text.append(key).append(" = { ").append(inner).append(" = ");
    value(value);
    text.append(" }\n");
  }

  void putAll(Map<String, ?> values) {
    for (Map.Entry<String, ?> entry : values.entrySet()) {
      put(entry.getKey(), entry.getValue());
    }
  }

  void write(File file) {
    try (Writer writer = new OutputStreamWriter(new FileOutputStream(file), StandardCharsets.UTF_8)) {
      writer.write(text.toString());
    } catch (IOException e) {
      throw new Failure("cannot write what describes the build: " + e.getMessage(), null);
    }
  }

  private void value(Object value) {
    if (value instanceof Iterable) {
      String separator = "[";
      for (Object item : (Iterable<?>) value) {
        text.append(separator);
        value(item);
        separator = ", ";
      }
      text.append("[".equals(separator) ? "[]" : "]");
    } else if (value instanceof Boolean || value instanceof Integer || value instanceof Long) {
      text.append(value);
    } else {
      string(String.valueOf(value), true);
    }
  }

  /** A basic string. Values have {@code ${…}} expanded by the reader; what Gradle hands over is meant as it stands. */
  private void string(String string, boolean isValue) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f) {
        text.append(String.format("\\u%04x", (int) c));
      } else if (isValue && c == '$' && string.startsWith("{", i + 1)) {
        text.append("$$");
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }
}
