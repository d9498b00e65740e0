package org.dep;

import java.lang.annotation.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;

/** Names of types in every place that the language and reflection can show. */
public class Everything<T extends Comparable<? super T> & java.io.Serializable> implements Supplier<Everything<?>[]> {
    interface Marker {}

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE_USE, ElementType.TYPE_PARAMETER})
    @interface Nul {
        Class<?> value() default Everything.class;
    }

    @Retention(RetentionPolicy.CLASS)
    @Target(ElementType.TYPE_USE)
    @interface Hidden {}

    enum Colour { RED { int n() { return 1; } }, GREEN; int n() { return 2; } }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Info {
        Colour colour() default Colour.GREEN;
        Class<?>[] types() default {Everything.class, int[].class, $ser[].class};
        Nul nul() default @Nul(Colour.class);
        String text() default "plain";
        String[] names() default {"a", "b"};
        long number() default 5;
    }

    class Inner<U> {
        class Deep<V extends U> {
            T t;
            U u;
            Map<? extends List<V>, Everything<T>.Inner<U>.Deep<V>[]> field;
        }
    }

    static class $ser {
        class in$ner {}
    }

    record Point<P extends Shape>(@Nul(Colour.class) P a, List<Everything<Integer>.@Nul Inner<P>> b, int[][] c) {}

    sealed interface Shape permits Square, Circle {}

    record Square(int side) implements Shape {}

    record Circle(Colour colour) implements Shape {}

    interface Auto {
        String get();

        static Auto auto() {
            return () -> "d";
        }

        static <R> R call(Function<? super Everything<?>, ? extends R> f) {
            return f.apply(new Everything<Integer>());
        }
    }

    static class Failure extends Exception {
        Failure(String message) {
            super(message);
        }
    }

    @Info(colour = Colour.RED, types = {Square.class, Circle[][].class}, nul = @Nul(Shape.class))
    <X extends Throwable> Map<X, ? super Shape> generic(@Info Map<String, T[]> map, @Nul Object... rest) throws X, Failure {
        return null;
    }

    static int locals(Object in) {
        int sum = 0;
        if (in != null) {
            @Nul(Shape.class) Object o = in;
            @Hidden Colour c = Colour.RED;
            List<@Nul(Circle.class) Square> list = new ArrayList<@Nul Square>();
            list.add(new Square(c.n()));
            sum += o instanceof @Hidden Square ? 1 : ((@Nul Square) list.get(0)).side();
        }
        try (AutoCloseable a = () -> {}) {
            throw new Failure("x");
        } catch (@Hidden Failure | IllegalStateException e) {
            sum += e.getMessage().length();
        } catch (Exception e) {
            sum = -1;
        }
        return sum;
    }

    static String shape(Shape shape) {
        if (shape instanceof Square s) {
            return "square " + s.side();
        }
        return shape instanceof Circle c ? "circle " + c.colour() : "none";
    }

    static int paint(Colour colour) {
        return switch (colour) {
            case RED -> 1;
            case GREEN -> 2;
        };
    }

    // Names of members that are also descriptors or names of types.
    int org;
    static class Names {
        static String Everything = "field";

        static String dep() {
            return Everything;
        }
    }

    public static void main(String[] args) throws Throwable {
        System.out.println(locals(new Square(3)) + " " + locals("s") + " " + locals(null));
        System.out.println(shape(new Square(1)) + ", " + shape(new Circle(Colour.GREEN)) + " " + paint(Colour.RED));
        System.out.println(Auto.auto().get() + Auto.<String>call(Everything::describe) + Names.dep());
        Supplier<Everything<?>[]> arrays = () -> new Everything<?>[2];
        IntFunction<Circle[][]> make = Circle[][]::new;
        System.out.println(arrays.get().getClass() + " " + make.apply(3).getClass().getName());
        System.out.println(new Point<>(new Square(4), null, new int[0][]).equals(null) + " " + new Square(2));
        System.out.println(new $ser().getClass().getSimpleName() + " " + $ser.in$ner.class.getSimpleName());
        Object local = new Object() {
            @Override public String toString() {
                class Local {}
                return getClass().getName() + " " + new Local().getClass().getEnclosingMethod();
            }
        };
        System.out.println(local + " [" + local.getClass().getSimpleName() + "] " + local.getClass().getEnclosingMethod());
        show(Class.forName(Everything.class.getName()));
        Object proxy = Proxy.newProxyInstance(Everything.class.getClassLoader(), new Class<?>[] {Marker.class, Auto.class},
            (p, method, arguments) -> method.getDeclaringClass().getName());
        System.out.println(((Auto) proxy).get());
    }

    @Override public Everything<?>[] get() {
        return new Everything<?>[] {this};
    }

    String describe() {
        return getClass().getName();
    }

    static void show(Class<?> type) throws Exception {
        System.out.println("== " + type.toGenericString() + " in " + type.getNestHost() + " of " + type.getDeclaringClass());
        System.out.println(type.getGenericSuperclass() + " " + Arrays.toString(type.getGenericInterfaces()));
        System.out.println(Arrays.toString(type.getAnnotations()) + " " + Arrays.toString(type.getTypeParameters()));
        for (TypeVariable<?> variable : type.getTypeParameters()) {
            System.out.println(variable + " " + Arrays.toString(variable.getBounds()));
        }
        if (type.isRecord()) {
            for (RecordComponent c : type.getRecordComponents()) {
                System.out.println(c + " " + c.getGenericType() + " " + c.getAnnotatedType());
            }
        }
        if (type.isSealed()) {
            System.out.println(Arrays.toString(type.getPermittedSubclasses()));
        }
        sorted(type.getDeclaredFields(), f -> f.toGenericString() + " " + f.getAnnotatedType());
        sorted(type.getDeclaredMethods(), m -> m.toGenericString() + " " + Arrays.toString(m.getAnnotations())
            + Arrays.deepToString(m.getParameterAnnotations()) + " " + Arrays.deepToString(new Object[] {m.getDefaultValue()}));
        sorted(type.getDeclaredConstructors(), Constructor::toGenericString);
        Class<?>[] nested = type.getDeclaredClasses();
        Arrays.sort(nested, Comparator.comparing(Class::getName));
        for (Class<?> each : nested) {
            show(each);
        }
    }

    static <M> void sorted(M[] members, Function<M, String> text) {
        String[] lines = new String[members.length];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = text.apply(members[i]);
        }
        Arrays.sort(lines);
        for (String line : lines) {
            System.out.println("  " + line);
        }
    }
}
