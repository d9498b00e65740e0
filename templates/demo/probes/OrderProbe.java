import static io.btrace.core.BTraceUtils.jstack;
import static io.btrace.core.BTraceUtils.println;
import static io.btrace.core.BTraceUtils.str;

import demo.metrics.OrderMetrics;
import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.Duration;
import io.btrace.core.annotations.Injected;
import io.btrace.core.annotations.Kind;
import io.btrace.core.annotations.Location;
import io.btrace.core.annotations.OnMethod;
import io.btrace.core.annotations.ProbeMethodName;
import io.btrace.core.annotations.TargetInstance;

/** Finds out why some orders take long and why some fail. */
@BTrace(description = "slow calls, failures and totals of the order service")
public class OrderProbe {
  private static final long SLOW_NANOS = 200000000L;

  /** The service of the embedded extension; linked when it is first used. */
  @Injected private static OrderMetrics metrics;

  /** Every order counts, also one that fails later. */
  @OnMethod(clazz = "OrderService", method = "processOrder")
  public static void onOrder(@ProbeMethodName String method) {
    if (metrics.enter(method) % 50 == 0) {
      println(metrics.summary());
    }
  }

  /** Every method of the service, measured; the slow calls are printed. */
  @OnMethod(clazz = "OrderService", method = "/.*/", location = @Location(Kind.RETURN))
  public static void onReturn(@ProbeMethodName String method, @Duration long duration) {
    metrics.record(method, duration);
    if (duration > SLOW_NANOS) {
      println("slow: " + method + " took " + duration / 1000000L + " ms");
    }
  }

  /** A method left by an exception, whoever catches it. */
  @OnMethod(clazz = "OrderService", method = "validateOrder", location = @Location(Kind.ERROR))
  public static void onError(@ProbeMethodName String method, @TargetInstance Throwable error) {
    println("failed: " + method + " threw " + str(error));
    jstack(error, 3);
  }
}
