package io.btrace.agent;

import io.btrace.boot.NativeCore;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Classes that stand in for services. */
final class StandIns {
  private StandIns() {}

  /**
   * A class that implements a service, in a loader of its own.
   *
   * @param message what each of its methods fails with, or null where each does nothing
   */
  static Class<?> define(Class<?> service, String message) {
    if (!service.isInterface()) {
      throw new IllegalStateException("nothing can stand in for " + service.getName() + ", which is no interface");
    }
    List<String> methods = new ArrayList<String>();
    Set<String> seen = new HashSet<String>();
    for (Method method : service.getMethods()) {
      String descriptor =
          MethodType.methodType(method.getReturnType(), method.getParameterTypes()).toMethodDescriptorString();
      if (!Modifier.isStatic(method.getModifiers()) && !isOfObject(method)
          && seen.add(method.getName() + descriptor)) {
        methods.add(method.getName());
        methods.add(descriptor);
      }
    }
    String name = service.getName() + "$$StandIn";
    byte[] bytes = NativeCore.shim(name.replace('.', '/'), service.getName().replace('.', '/'),
        methods.toArray(new String[methods.size()]), message);
    return new Own(service.getClassLoader()).define(name, bytes);
  }

  /** What every object has, and an interface may repeat. */
  private static boolean isOfObject(Method method) {
    try {
      Object.class.getMethod(method.getName(), method.getParameterTypes());
      return true;
    } catch (NoSuchMethodException e) {
      return false;
    }
  }

  private static final class Own extends ClassLoader {
    Own(ClassLoader parent) {
      super(parent);
    }

    Class<?> define(String name, byte[] bytes) {
      return defineClass(name, bytes, 0, bytes.length);
    }
  }
}
