import java.util.ArrayList;
import java.util.List;

/** Constructors: jumps and objects of the same class before `super()`, several paths, captured variables. */
public class Construction {
    static class Node {
        final Node next;
        final String name;
        final int size;

        Node(String name) {
            this(name == null ? null : new Node(name.length() > 3 ? name.substring(3) : null, 1), name, name == null ? 0 : 2);
        }

        Node(String name, int n) {
            this(n > 0 ? null : new Node("x"), name != null ? name : "none", n);
        }

        Node(Node next, String name, int size) {
            super();
            if (size > 1) {
                this.next = next;
            } else {
                this.next = null;
            }
            this.name = name;
            this.size = next == null ? size : next.size + size;
        }

        Node(Node other, boolean copy) {
            this(copy ? new Node(other.next, other.name, other.size) : other, copy && other != null ? other.name : "same", 3);
            for (int i = 0; i < 2; i++) {
                if (this.size == 1000) {
                    return;
                }
            }
        }

        @Override
        public String toString() {
            return name + size + "(" + next + ")";
        }
    }

    static class Failing extends ArrayList<String> {
        static final long serialVersionUID = 1;
        private final List<String> more = new ArrayList<>();
        private int count = 3;

        {
            count += more.size();
        }

        Failing(int capacity, String text) {
            super(text == null ? Integer.parseInt("none") : capacity);
            try {
                if (capacity > 5) {
                    throw new IllegalStateException(text);
                }
                more.add(text);
            } catch (IllegalStateException e) {
                if (capacity > 6) {
                    throw e;
                }
                more.add("caught");
            } finally {
                count++;
            }
        }
    }

    class Inner {
        final int captured;

        Inner(int n) {
            int local = n * 2;
            class Local {
                int get() {
                    return local + outer;
                }
            }
            captured = new Local().get();
        }

        class Deeper {
            Object both() {
                return "" + captured + Construction.this.outer;
            }
        }
    }

    abstract static class Template {
        Template(long a, double b, Object... more) {
            run(a + b + more.length);
        }

        abstract void run(double n);
    }

    int outer = 40;

    static {
        if (System.getProperty("absent") != null) {
            throw new ExceptionInInitializerError();
        }
        System.out.println("initialised");
    }

    public static void main(String[] args) {
        System.out.println(new Node("longer name"));
        System.out.println(new Node(new Node("abc", 1), true));
        System.out.println(new Node(new Node("abc", 0), false));
        for (int n = 4; n < 8; n++) {
            try {
                Failing f = new Failing(n, "t" + n);
                System.out.println(f.more + "" + f.count);
            } catch (IllegalStateException e) {
                System.out.println(e);
            }
        }
        Construction outer = new Construction();
        Inner inner = outer.new Inner(1);
        System.out.println(inner.captured + " " + inner.new Deeper().both());
        new Template(1L, 2.0, "a", "b") {
            @Override
            void run(double n) {
                System.out.println(n + " " + getClass().getName());
            }
        };
        Object[] made = {new int[0], new StringBuilder("x").append(1), new Object() {
            int f = 3;

            @Override
            public String toString() {
                return "anonymous" + f;
            }
        }};
        System.out.println(made[1] + "" + made[2]);
    }
}
