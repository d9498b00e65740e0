package bench;

import static io.btrace.core.BTraceUtils.println;

import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.OnMethod;

/** A handler that may use the runtime, so that it runs behind the guard against re-entry. */
@BTrace
public class GuardedProbe {
    static long calls;

    @OnMethod(clazz = "bench.DispatchTargets", method = "wovenGuarded")
    public static void guarded() {
        if (calls++ < 0) {
            println("never");
        }
    }
}
