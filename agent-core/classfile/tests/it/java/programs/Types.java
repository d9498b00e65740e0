import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Generics, interfaces, enums, arrays, and variables of every type that live across jumps. */
public class Types {
    interface Shape extends Comparable<Shape> {
        double area();

        default String describe(String prefix) {
            prefix = prefix + ":";
            return prefix + area() + suffix();
        }

        static Shape of(double side) {
            if (side < 0) {
                throw new IllegalArgumentException("negative");
            }
            return () -> side * side;
        }

        default String suffix() {
            return "";
        }

        @Override
        default int compareTo(Shape other) {
            return Double.compare(area(), other.area());
        }
    }

    enum Op {
        ADD("+") {
            @Override
            long apply(long a, long b) {
                return a + b;
            }
        },
        DIV("/") {
            @Override
            long apply(long a, long b) {
                return a / b;
            }
        };

        final String sign;

        Op(String sign) {
            this.sign = sign;
        }

        abstract long apply(long a, long b);
    }

    static class Box<T extends Comparable<? super T>> {
        T held;

        Box(T held) {
            this.held = held;
        }

        Box<T> max(Box<? extends T> other) {
            T best = held;
            if (other != null && other.held.compareTo(best) > 0) {
                best = other.held;
            }
            return new Box<>(best);
        }
    }

    static class Covariant extends Box<String> {
        Covariant(String s) {
            super(s);
        }

        @Override
        Covariant max(Box<? extends String> other) {
            return new Covariant(super.max(other).held);
        }
    }

    static double mixed(int a, long b, float c, double d, byte e, short f, char g, boolean h) {
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            long wide = b + i;
            if (h) {
                float narrow = c * i;
                sum += narrow;
                d -= 1;
            } else {
                double other = d / 2;
                sum += other;
                e++;
            }
            h = !h;
            sum += wide + a + e + f + g;
        }
        return sum + d;
    }

    static <T> T pick(boolean first, Supplier<? extends T> a, Supplier<? extends T> b) {
        T value = first ? a.get() : b.get();
        if (value == null) {
            return null;
        }
        return value;
    }

    static Object merge(int n) {
        Object o;
        switch (n) {
            case 0:
                o = "text";
                break;
            case 1:
                o = new int[] {1, 2};
                break;
            case 2:
                o = new String[][] {{"x"}, null};
                break;
            default:
                o = null;
        }
        return o;
    }

    static int varargs(Object... all) {
        return all.length;
    }

    static int[][] grid(int w, int h) {
        int[][] grid = new int[w][h];
        for (int[] row : grid) {
            Arrays.fill(row, w--);
        }
        return grid;
    }

    public static void main(String[] args) {
        Shape shape = Shape.of(3);
        System.out.println(shape.describe("square"));
        System.out.println(shape.compareTo(Shape.of(4)));
        try {
            Shape.of(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        for (Op op : Op.values()) {
            try {
                System.out.println(op + op.sign + op.apply(7, op.ordinal()) + Op.valueOf(op.name()));
                System.out.println(op.apply(1, 0));
            } catch (ArithmeticException e) {
                System.out.println(e.getMessage());
            }
        }
        System.out.println(new Box<>(3).max(new Box<>(9)).held);
        Box<String> box = new Covariant("a");
        System.out.println(box.max(new Box<>("b")).held + box.max(null).held);
        System.out.println(mixed(1, 2, 3, 4, (byte) 5, (short) 6, '\7', true));
        System.out.println(pick(true, () -> "first", () -> 2) + " " + pick(false, () -> "first", () -> null));
        for (int n = 0; n < 4; n++) {
            Object merged = merge(n);
            System.out.println(merged == null ? "null" : merged.getClass().getName());
        }
        System.out.println(varargs() + varargs(1, "2") + varargs((Object) null));
        System.out.println(Arrays.deepToString(grid(2, 3)));
        Map<String, List<Integer>> map = new HashMap<>();
        map.computeIfAbsent("k", k -> Arrays.asList(3, 1, 2)).sort(Comparator.reverseOrder());
        System.out.println(map);
        BiFunction<Integer, Integer, Integer> add = Integer::sum;
        System.out.println(add.andThen(n -> n * 10).apply(1, 2));
    }
}
