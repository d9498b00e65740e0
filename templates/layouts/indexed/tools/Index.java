import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Writes {@code sections.index} for the folder it is run in, the files of the jar: one line for each folder with files in
 * a section, {@code folder section}, sorted. A section is a folder at the root with a {@code .classdata} somewhere below.
 */
public final class Index {
  public static void main(String[] arguments) throws IOException {
    Path root = Path.of("").toAbsolutePath();
    Map<String, String> sections = new TreeMap<>();
    for (Path section : list(root)) {
      List<Path> files = Files.isDirectory(section) ? below(section) : List.of();
      if (files.stream().noneMatch(file -> file.toString().endsWith(".classdata"))) {
        continue;
      }
      for (Path file : files) {
        String folder = section.relativize(file).getParent() == null ? "" : slashes(section.relativize(file).getParent());
        String name = section.getFileName().toString();
        String other = sections.put(folder, name);
        if (other != null && !other.equals(name)) {
          throw new IllegalStateException("folder `" + folder + "` lies in two sections: " + other + " and " + name);
        }
      }
    }
    StringBuilder index = new StringBuilder();
    sections.forEach((folder, section) -> index.append(folder).append(' ').append(section).append('\n'));
    Files.writeString(root.resolve("sections.index"), index);
    System.out.println("sections.index: " + sections.size() + " folders");
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> children = Files.list(folder)) {
      return children.sorted().toList();
    }
  }

  private static List<Path> below(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      // Nobody looks for manifests through the loader, and every section may have one.
      return files.filter(file -> Files.isRegularFile(file) && !file.endsWith("MANIFEST.MF")).toList();
    }
  }

  private static String slashes(Path path) {
    return path.toString().replace('\\', '/');
  }
}
