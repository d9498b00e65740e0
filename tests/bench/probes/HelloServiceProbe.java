package bench;

import bench.service0.Counter;
import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.Injected;
import io.btrace.core.annotations.OnMethod;

/** One probe that is woven, runs once, and uses a service. */
@BTrace
public class HelloServiceProbe {
    @Injected
    private static Counter counter;

    @OnMethod(clazz = "Hello", method = "main")
    public static void entry() {
        counter.count(1);
    }
}
