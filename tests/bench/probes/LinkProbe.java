package bench;

import bench.service0.Counter;
import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.Injected;
import io.btrace.core.annotations.OnMethod;

/** Two handlers alike, the second of which is the first to use a service. */
@BTrace
public class LinkProbe {
    static long calls;

    @Injected
    private static Counter counter;

    @OnMethod(clazz = "bench.Link", method = "without")
    public static void without() {
        calls++;
    }

    @OnMethod(clazz = "bench.Link", method = "with")
    public static void with() {
        counter.count(1);
    }
}
