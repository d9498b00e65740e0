package java.lang;

/** Patched into the base module: counts what woven classes of the JDK report, and does nothing else. */
public final class Trampoline {
    public static boolean counting;
    public static final long[] COUNTS = new long[4];

    private Trampoline() {}

    public static void hit(int site, Object[] references, long[] primitives) {
        if (counting) {
            COUNTS[site]++;
        }
    }
}
