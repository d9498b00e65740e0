package bench;

import bench.service0.Counter;
import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.Injected;
import io.btrace.core.annotations.OnMethod;

/** One call of a service, which may do anything, so that it runs behind the guard against re-entry. */
@BTrace
public class ServiceProbe {
    @Injected
    private static Counter counter;

    @OnMethod(clazz = "bench.DispatchTargets", method = "wovenService")
    public static void service() {
        counter.count(1);
    }
}
