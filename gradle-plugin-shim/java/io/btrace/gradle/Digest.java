package io.btrace.gradle;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** SHA-256 of what files hold, without their names: those are inputs of their own. */
final class Digest {
  private static final int BUFFER = 1 << 16;

  private Digest() {}

  /** Of all files, in their order, and of all files in folders, by name. */
  static String of(Iterable<? extends Iterable<File>> groups) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] buffer = new byte[BUFFER];
      for (Iterable<File> group : groups) {
        for (File file : group) {
          add(file, digest, buffer);
        }
        digest.update((byte) 0);
      }
      return new BigInteger(1, digest.digest()).toString(16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static void add(File file, MessageDigest digest, byte[] buffer) {
    File[] children = file.listFiles();
    if (children != null) {
      Arrays.sort(children);
      for (File child : children) {
        add(child, digest, buffer);
      }
      return;
    }
    if (!file.isFile()) {
      // Whoever uses it says that it is not there.
      return;
    }
    digest.update(Long.toString(file.length()).getBytes());
    try (InputStream in = new FileInputStream(file)) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        digest.update(buffer, 0, n);
      }
    } catch (IOException e) {
      throw new Failure("cannot read an input: " + e.getMessage(), null);
    }
  }
}
