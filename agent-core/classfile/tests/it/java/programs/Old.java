/** Runs as any class-file version since 45.3: no class literal, lambda, string switch or `invokedynamic`. */
public class Old {
    int held;

    Old(int n) {
        this(n > 0 ? n : -n, n > 2);
    }

    Old(int n, boolean check) {
        super();
        if (check && n == 3) {
            throw new IllegalStateException();
        }
        held = n;
    }

    static long loops(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            try {
                sum += 10 / (i - 1);
            } catch (ArithmeticException e) {
                sum += 100;
            } finally {
                sum++;
                n--;
            }
        }
        return sum;
    }

    static String straight(long a, String b) {
        return b + a;
    }

    static int choose(int n) {
        switch (n) {
            case 0:
                return 1;
            case 1:
            case 2:
                n = 9;
                break;
            case 1000:
                throw new IllegalArgumentException();
            default:
                return -n;
        }
        return n;
    }

    synchronized double locked(double d, Object lock) {
        synchronized (lock) {
            d /= held;
            return held == 0 ? 0.5 : d;
        }
    }

    static Object merged(boolean a, Object[] b) {
        Object o = a ? (Object) b : "none";
        float f = 1;
        while (f < 3) {
            f *= 2;
        }
        return f > 3 ? o : null;
    }

    public static void main(String[] args) {
        System.out.println(loops(6));
        System.out.println(straight(3, "s"));
        int[] numbers = {0, 1, 5, 1000};
        for (int i = 0; i < numbers.length; i++) {
            try {
                System.out.println(choose(numbers[i]));
            } catch (IllegalArgumentException e) {
                System.out.println("thrown");
            }
        }
        for (int n = -1; n < 4; n++) {
            try {
                System.out.println(new Old(n).locked(6, "lock"));
            } catch (IllegalStateException e) {
                System.out.println("not made");
            }
        }
        try {
            new Old(1).locked(1, null);
        } catch (NullPointerException e) {
            System.out.println("no lock");
        }
        System.out.println(merged(false, null) + " " + (merged(true, args) == args));
    }
}
