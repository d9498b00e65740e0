package bench;

import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.Duration;
import io.btrace.core.annotations.Kind;
import io.btrace.core.annotations.Location;
import io.btrace.core.annotations.OnMethod;
import io.btrace.core.annotations.Self;
import io.btrace.core.annotations.TargetInstance;

/** Handlers that use nothing of the runtime. */
@BTrace
public class DispatchProbe {
    static long calls;
    static long total;

    @OnMethod(clazz = "bench.DispatchTargets", method = "wovenEntry")
    public static void entry() {
        calls++;
    }

    @OnMethod(clazz = "bench.DispatchTargets", method = "wovenArguments")
    public static void arguments(@Self Object self, int value, Object text) {
        calls += value;
    }

    @OnMethod(clazz = "bench.DispatchTargets", method = "wovenDuration", location = @Location(Kind.RETURN))
    public static void duration(@Duration long nanoseconds) {
        total += nanoseconds;
    }

    @OnMethod(clazz = "bench.DispatchTargets", method = "wovenError", location = @Location(Kind.ERROR))
    public static void error(@TargetInstance Throwable thrown) {
        calls++;
    }
}
