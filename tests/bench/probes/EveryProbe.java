package bench;

import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.Kind;
import io.btrace.core.annotations.Location;
import io.btrace.core.annotations.OnMethod;

/** Every method, at its entry and before its returns. */
@BTrace
public class EveryProbe {
    @OnMethod(clazz = "/.*/", method = "/.*/")
    public static void entry() {}

    @OnMethod(clazz = "/.*/", method = "/.*/", location = @Location(Kind.RETURN))
    public static void exit() {}
}
