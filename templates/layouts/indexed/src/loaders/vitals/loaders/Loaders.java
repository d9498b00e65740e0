package vitals.loaders;

import vitals.Boot;
import vitals.Vital;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Class loaders that have defined a class, the bootstrap loader among them. */
public final class Loaders implements Vital {
  @Override
  public long value() {
    Set<ClassLoader> loaders = Collections.newSetFromMap(new IdentityHashMap<ClassLoader, Boolean>());
    for (Class<?> loaded : Boot.instrumentation().getAllLoadedClasses()) {
      loaders.add(loaded.getClassLoader());
    }
    return loaders.size();
  }
}
