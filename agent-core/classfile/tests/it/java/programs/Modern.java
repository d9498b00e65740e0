import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What came after Java 8: records, sealed types, switch expressions, patterns, text blocks, private interface methods. */
public class Modern {
    record Point(int x, long y) {
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("x" + x);
            }
        }

        Point(int x) {
            this(x, x * 2L);
        }

        double length() {
            return Math.sqrt(x * x + y * y);
        }
    }

    sealed interface Expr permits Num, Sum, Neg {}

    record Num(int n) implements Expr {}

    record Sum(Expr a, Expr b) implements Expr {}

    record Neg(Expr e) implements Expr {}

    interface Greeter {
        private String greeting() {
            return "hello ";
        }

        default String greet(String name) {
            return greeting() + name;
        }
    }

    static int eval(Expr e) {
        if (e instanceof Num n) {
            return n.n();
        } else if (e instanceof Sum s && s.a() != null) {
            return eval(s.a()) + eval(s.b());
        } else if (e instanceof Neg n) {
            return -eval(n.e());
        }
        throw new IllegalStateException();
    }

    static String day(int n) {
        return switch (n) {
            case 0, 6 -> "weekend";
            case 3 -> {
                String s = "mid";
                yield s + "week";
            }
            default -> {
                try {
                    yield "day" + 10 / (n - 2);
                } catch (ArithmeticException e) {
                    yield "none";
                }
            }
        };
    }

    enum Colour { RED, GREEN }

    static int paint(Colour c) {
        return switch (c) {
            case RED -> 1;
            case GREEN -> 2;
        };
    }

    public static void main(String[] args) {
        var p = new Point(3);
        System.out.println(p + " " + p.equals(new Point(3, 6)) + " " + (p.hashCode() == new Point(3).hashCode()));
        try {
            new Point(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(p.length());
        System.out.println(eval(new Sum(new Num(5), new Neg(new Num(7)))));
        System.out.println(IntStream.range(0, 7).mapToObj(Modern::day).collect(Collectors.joining(",")));
        System.out.println(paint(Colour.GREEN));
        System.out.println(new Greeter() {}.greet("you"));
        System.out.println("""
            text
              block""");
        System.out.println(List.of(1, 2).stream().map(n -> n + p.x()).toList());
    }
}
