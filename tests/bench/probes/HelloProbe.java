package bench;

import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.OnMethod;

/** One probe that is woven and runs once. */
@BTrace
public class HelloProbe {
    static long calls;

    @OnMethod(clazz = "Hello", method = "main")
    public static void entry() {
        calls++;
    }
}
