package bench;

import org.openjdk.btrace.core.BTraceUtils;
import org.openjdk.btrace.core.annotations.BTrace;
import org.openjdk.btrace.core.annotations.Duration;
import org.openjdk.btrace.core.annotations.Kind;
import org.openjdk.btrace.core.annotations.Location;
import org.openjdk.btrace.core.annotations.OnMethod;
import org.openjdk.btrace.core.annotations.Self;
import org.openjdk.btrace.core.annotations.TargetInstance;

/** The same handlers for BTrace 2.2.6. */
@BTrace
public class PeerProbe {
    private static long calls;
    private static long total;

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

    @OnMethod(clazz = "bench.DispatchTargets", method = "wovenGuarded")
    public static void guarded() {
        if (calls++ < 0) {
            BTraceUtils.println("never");
        }
    }
}
