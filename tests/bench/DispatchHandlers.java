package bench;

/** What the probes do, for calls by hand. */
final class DispatchHandlers {
    private static final ThreadLocal<Object> CURRENT = new ThreadLocal<Object>();
    static long calls;
    static long total;

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

    static boolean enter(Object probe) {
        if (CURRENT.get() != null) {
            return false;
        }
        CURRENT.set(probe);
        return true;
    }

    static void leave() {
        CURRENT.set(null);
    }

    static void failed(Throwable thrown) {
        System.err.println(thrown);
    }
}
