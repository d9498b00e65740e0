package bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What a call from woven code to its handler costs, beside the same call by hand and none at all. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DispatchBenchmark {
    private final DispatchTargets targets = new DispatchTargets();
    private int value = 3;
    private Object text = "text";

    @Benchmark
    public int baseline() {
        return targets.plain(value);
    }

    @Benchmark
    public int handEntry() {
        return targets.handEntry(value);
    }

    @Benchmark
    public int wovenEntry() {
        return targets.wovenEntry(value);
    }

    @Benchmark
    public int handArguments() {
        return targets.handArguments(value, text);
    }

    @Benchmark
    public int wovenArguments() {
        return targets.wovenArguments(value, text);
    }

    @Benchmark
    public int handDuration() {
        return targets.handDuration(value);
    }

    @Benchmark
    public int wovenDuration() {
        return targets.wovenDuration(value);
    }

    @Benchmark
    public int baselineError() {
        try {
            return targets.plainError(value);
        } catch (IllegalStateException expected) {
            return 0;
        }
    }

    @Benchmark
    public int handError() {
        try {
            return targets.handError(value);
        } catch (IllegalStateException expected) {
            return 0;
        }
    }

    @Benchmark
    public int wovenError() {
        try {
            return targets.wovenError(value);
        } catch (IllegalStateException expected) {
            return 0;
        }
    }

    @Benchmark
    public int handGuarded() {
        return targets.handGuarded(value);
    }

    @Benchmark
    public int wovenGuarded() {
        return targets.wovenGuarded(value);
    }

    @Benchmark
    public int handService() {
        return targets.handService(value);
    }

    @Benchmark
    public int wovenService() {
        return targets.wovenService(value);
    }
}
