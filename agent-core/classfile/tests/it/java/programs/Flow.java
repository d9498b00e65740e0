import java.util.ArrayList;
import java.util.List;

/** Jumps, loops, handlers, locks and recursion. */
public class Flow {
    static int depth;

    static int finallyReturns(int n) {
        int r = n;
        try {
            if (n % 3 == 0) {
                return r / (n % 2);
            }
            if (n % 3 == 1) {
                throw new IllegalStateException("n" + n);
            }
            r = 5;
        } catch (IllegalStateException e) {
            r = -1;
            if (n == 7) {
                throw e;
            }
        } finally {
            r++;
            depth += r;
        }
        return r;
    }

    static long nested(long seed, int[] data) {
        long sum = seed;
        outer:
        for (int i = 0; ; i++) {
            try {
                try {
                    sum += data[i];
                    if (data[i] == 4) {
                        continue outer;
                    }
                } finally {
                    sum *= 2;
                    if (sum > 5000) {
                        break outer;
                    }
                }
            } catch (ArrayIndexOutOfBoundsException e) {
                seed = sum;
                return seed;
            }
        }
        return -sum;
    }

    static Object locks(Object a, Object b, int n) throws Exception {
        synchronized (a) {
            synchronized (b) {
                if (n == 0) {
                    throw new Exception("locked");
                }
                for (int i = 0; i < n; i++) {
                    synchronized (Flow.class) {
                        if (i == 2) {
                            return a;
                        }
                    }
                }
            }
        }
        return b;
    }

    static synchronized int whole(int n) {
        if (n < 0) {
            throw new IllegalArgumentException();
        }
        return n == 0 ? 0 : 1 + whole(n - 1);
    }

    static double fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int backToStart(int n) {
        while (n > 0) {
            n -= 3;
        }
        return n;
    }

    static void spins(int n) {
        do {
            n--;
        } while (n > 0);
    }

    static boolean logic(boolean a, boolean b, Object o) {
        return a && (b || o != null) ^ (o instanceof String ? ((String) o).isEmpty() : !b);
    }

    static String chars(char c) {
        c += 1;
        StringBuilder s = new StringBuilder();
        for (char d = c; d < c + 3; d++) {
            s.append(d);
        }
        return s.toString();
    }

    static void resources(boolean fail) throws Exception {
        class Resource implements AutoCloseable {
            @Override
            public void close() {
                System.out.println("closed");
            }
        }
        try (Resource a = new Resource(); Resource b = new Resource()) {
            if (fail) {
                throw new Exception("in try");
            }
            System.out.println(a != b);
        }
    }

    static int overflow(int n) {
        return n + deep(n);
    }

    static int deep(int n) {
        if (n == 0) {
            throw new StackOverflowError("made up");
        }
        try {
            return deep(n - 1) + 1;
        } catch (StackOverflowError e) {
            return n > 3 ? n : rethrow(e);
        }
    }

    static <E extends Throwable> int rethrow(Throwable e) throws E {
        @SuppressWarnings("unchecked")
        E thrown = (E) e;
        throw thrown;
    }

    public static void main(String[] args) throws Exception {
        for (int n = 0; n < 12; n++) {
            try {
                System.out.println(finallyReturns(n));
            } catch (RuntimeException e) {
                System.out.println(e);
            }
        }
        System.out.println(depth);
        System.out.println(nested(1, new int[] {1, 2, 4, 8}));
        System.out.println(nested(1000, new int[] {1, 2, 4, 8}));
        for (int n = 0; n < 5; n++) {
            try {
                System.out.println(locks("a", "b", n));
            } catch (Exception e) {
                System.out.println(e);
            }
        }
        System.out.println(whole(5));
        System.out.println(fib(6));
        System.out.println(backToStart(10));
        spins(3);
        System.out.println(logic(true, false, "") + " " + logic(true, true, null) + " " + logic(false, true, 1));
        System.out.println(chars('x'));
        resources(false);
        try {
            resources(true);
        } catch (Exception e) {
            System.out.println(e);
        }
        System.out.println(overflow(6));
        List<Runnable> later = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int n = i;
            later.add(() -> System.out.println("lambda " + n));
        }
        later.forEach(Runnable::run);
        whole(0);
        try {
            whole(-1);
        } catch (IllegalArgumentException e) {
            System.out.println("unlocked");
        }
    }
}
