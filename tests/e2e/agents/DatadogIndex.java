import datadog.instrument.utils.ClassNameTrie;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Adds to the index of a Datadog agent what lies in its sections and is not found by it; run in the folder of the agent's
 * files, with that folder as class path.
 *
 * <p>The index is a count, as many section names with a slash, and a trie of the agent's own from dotted names, or
 * prefixes that end in {@code .*}, to the number of the section; 0 is the root, and 1 the first name.
 */
public final class DatadogIndex {
  public static void main(String[] arguments) throws IOException {
    Path root = Path.of("").toAbsolutePath();
    Path file = root.resolve("dd-java-agent.index");
    String[] sections;
    ClassNameTrie.Builder trie;
    try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      sections = new String[in.readInt()];
      for (int i = 0; i < sections.length; i++) {
        sections[i] = in.readUTF();
      }
      trie = new ClassNameTrie.Builder(ClassNameTrie.readFrom(in));
    }
    for (int number = 1; number <= sections.length; number++) {
      Path section = root.resolve(sections[number - 1]);
      for (Path path : classesAndServices(section)) {
        add(trie, section.relativize(path).toString(), number, sections);
      }
    }
    try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
      out.writeInt(sections.length);
      for (String section : sections) {
        out.writeUTF(section);
      }
      trie.writeTo(out);
    }
  }

  private static void add(ClassNameTrie.Builder trie, String path, int number, String[] sections) {
    String name = path.replace(".classdata", "").replace('/', '.');
    int found = trie.apply(name);
    if (found == number) {
      return;
    }
    if (found > 0) {
      throw new IllegalStateException(name + " is in " + sections[number - 1] + " and in " + sections[found - 1]);
    }
    String key = path.endsWith(".classdata") ? name.substring(0, name.lastIndexOf('.') + 1) + '*' : name;
    trie.put(key, number);
    System.out.println("index: " + key + " is in " + sections[number - 1]);
  }

  private static List<Path> classesAndServices(Path section) throws IOException {
    try (Stream<Path> files = Files.walk(section)) {
      return files
          .filter(path -> path.toString().endsWith(".classdata") || path.getParent().endsWith("META-INF/services"))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    }
  }
}
