package bench;

import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.Kind;
import io.btrace.core.annotations.Location;
import io.btrace.core.annotations.OnMethod;

/** Every method of the first class that a JVM loads of an application. */
@BTrace
public class ColdProbe {
    @OnMethod(clazz = "Cold", method = "/.*/")
    public static void entry() {}

    @OnMethod(clazz = "Cold", method = "/.*/", location = @Location(Kind.RETURN))
    public static void exit() {}
}
