package bench;

import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.OnMethod;

/** No class of the JDK is below this one. */
@BTrace
public class SubtypeProbe {
    @OnMethod(clazz = "+com.example.Nothing", method = "run")
    public static void entry() {}
}
