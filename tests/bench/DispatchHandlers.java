package bench;

/** What the probes do, for calls by hand. */
final class DispatchHandlers {
    private static final ThreadLocal<Running> CURRENT = new ThreadLocal<Running>();
    static long calls;
    static long total;

    /** What the guard of the agent's runtime holds for each thread. */
    static final class Running {
        int probe;
    }

    private DispatchHandlers() {}

    static void entry() {
        calls++;
    }

    static void arguments(Object self, int value, Object text) {
        calls += value;
    }

    static void duration(long nanoseconds) {
        total += nanoseconds;
    }

    static void error(Throwable thrown) {
        calls++;
    }

    static void guarded() {
        if (calls++ < 0) {
            System.err.println("never");
        }
    }

    static Running enter(int probe) {
        Running running = CURRENT.get();
        if (running == null) {
            running = new Running();
            CURRENT.set(running);
        } else if (running.probe != 0) {
            return null;
        }
        running.probe = probe;
        return running;
    }

    static void failed(Throwable thrown) {
        System.err.println(thrown);
    }
}
