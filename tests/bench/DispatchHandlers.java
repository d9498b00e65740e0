package bench;

/** What the probes do, for calls by hand. */
final class DispatchHandlers {
    private static final ThreadLocal<Running> CURRENT = new ThreadLocal<Running>();
    static long calls;
    static long total;

    /** What the guard of the agent's runtime holds for each thread. */
    static final class Running {
        long state;
    }

    /** What an extension's service would be. */
    interface Counter {
        void count(int value);
    }

    static final Counter COUNTER = new Counting();

    private static final class Counting implements Counter {
        private long total;

        @Override
        public void count(int value) {
            total += value;
        }
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
        } else if (running.state != 0) {
            return null;
        }
        running.state = probe;
        return running;
    }

    static void failed(Throwable thrown) {
        System.err.println(thrown);
    }
}
