package io.btrace.gradle;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Candidates for the licence, notice and readme of an extension beside its build script; {@code fatagent} takes those that are. */
final class Papers {
  private static final String[] BEGINNINGS = {"license", "licence", "copying", "notice", "readme"};

  private Papers() {}

  /** Those in a folder, sorted. */
  static List<File> in(File folder) {
    List<File> found = new ArrayList<File>();
    File[] files = folder.listFiles();
    if (files != null) {
      Arrays.sort(files);
      for (File file : files) {
        String name = file.getName().toLowerCase(Locale.ROOT);
        for (String beginning : BEGINNINGS) {
          if (name.startsWith(beginning) && file.isFile()) {
            found.add(file);
          }
        }
      }
    }
    return found;
  }
}
