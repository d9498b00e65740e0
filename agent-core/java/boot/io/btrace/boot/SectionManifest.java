package io.btrace.boot;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.HashSet;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.Manifest;

/**
 * What a section of an ordinary agent says of its packages, and where its classes come from: they may look for their
 * version and for their own jar. The sections of a fat agent have no manifest, and so none of this is loaded there.
 */
public final class SectionManifest {
  private static final Attributes.Name[] NAMES = {
    Attributes.Name.SPECIFICATION_TITLE,
    Attributes.Name.SPECIFICATION_VERSION,
    Attributes.Name.SPECIFICATION_VENDOR,
    Attributes.Name.IMPLEMENTATION_TITLE,
    Attributes.Name.IMPLEMENTATION_VERSION,
    Attributes.Name.IMPLEMENTATION_VENDOR,
  };

  private final Manifest manifest;
  private final ProtectionDomain domain;
  private final Set<String> seen = new HashSet<String>();

  private SectionManifest(Manifest manifest, ProtectionDomain domain) {
    this.manifest = manifest;
    this.domain = domain;
  }

  /** Reads the bytes of a manifest; the classes come from the jar. */
  static SectionManifest parse(byte[] bytes, String jar) throws IOException {
    URL location = new File(jar).toURI().toURL();
    ProtectionDomain domain = new ProtectionDomain(new CodeSource(location, (Certificate[]) null), null);
    return new SectionManifest(new Manifest(new ByteArrayInputStream(bytes)), domain);
  }

  /** The domain of all classes: their code source is the jar. */
  public ProtectionDomain domain() {
    return domain;
  }

  /**
   * Titles, versions and vendors of a package in the order that {@code definePackage} takes them, or null when they were
   * asked for before.
   */
  public String[] ofNew(String pack) {
    synchronized (seen) {
      if (!seen.add(pack)) {
        return null;
      }
    }
    String[] values = new String[NAMES.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(pack, NAMES[i]);
    }
    return values;
  }

  /** What {@code definePackage} takes for a package: where all its classes have to come from, or null where it is not sealed. */
  public URL seal(String pack) {
    return "true".equalsIgnoreCase(value(pack, Attributes.Name.SEALED)) ? domain.getCodeSource().getLocation() : null;
  }

  /** The packager has written all that holds for a package into its section, since it may come from another jar than the rest. */
  private String value(String pack, Attributes.Name name) {
    Attributes own = manifest.getAttributes(pack.replace('.', '/') + '/');
    return (own == null ? manifest.getMainAttributes() : own).getValue(name);
  }
}
