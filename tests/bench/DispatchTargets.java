package bench;

/** Methods that do next to nothing: as they are, with a call by hand, and for a probe to be woven into. */
public class DispatchTargets {
    private static final IllegalStateException FAILURE = new Failure();

    /** Costs no stack trace. */
    private static final class Failure extends IllegalStateException {
        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    public int plain(int value) {
        return value + 1;
    }

    public int handEntry(int value) {
        DispatchHandlers.entry();
        return value + 1;
    }

    public int wovenEntry(int value) {
        return value + 1;
    }

    public int handArguments(int value, Object text) {
        DispatchHandlers.arguments(this, value, text);
        return value + 1;
    }

    public int wovenArguments(int value, Object text) {
        return value + 1;
    }

    public int handDuration(int value) {
        long start = System.nanoTime();
        int result = value + 1;
        DispatchHandlers.duration(System.nanoTime() - start);
        return result;
    }

    public int wovenDuration(int value) {
        return value + 1;
    }

    public int plainError(int value) {
        throw FAILURE;
    }

    public int handError(int value) {
        try {
            throw FAILURE;
        } catch (Throwable thrown) {
            DispatchHandlers.error(thrown);
            throw thrown;
        }
    }

    public int wovenError(int value) {
        throw FAILURE;
    }

    /** The guard of the agent's runtime, and the net under the handler. */
    public int handGuarded(int value) {
        DispatchHandlers.Running running = DispatchHandlers.enter(1);
        if (running != null) {
            try {
                DispatchHandlers.guarded();
            } catch (Throwable thrown) {
                DispatchHandlers.failed(thrown);
            }
            running.state = 0;
        }
        return value + 1;
    }

    public int wovenGuarded(int value) {
        return value + 1;
    }

    /** As {@link #handGuarded}, with a call of an interface that always has the same object. */
    public int handService(int value) {
        DispatchHandlers.Running running = DispatchHandlers.enter(1);
        if (running != null) {
            try {
                DispatchHandlers.COUNTER.count(1);
            } catch (Throwable thrown) {
                DispatchHandlers.failed(thrown);
            }
            running.state = 0;
        }
        return value + 1;
    }

    public int wovenService(int value) {
        return value + 1;
    }
}
