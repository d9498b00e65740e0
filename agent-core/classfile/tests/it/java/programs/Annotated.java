import java.io.StringReader;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Annotations on types inside code, which hold offsets. */
public class Annotated {
    @Target({ElementType.TYPE_USE, ElementType.TYPE_PARAMETER})
    @Retention(RetentionPolicy.RUNTIME)
    @interface A {
        String value() default "";

        int[] numbers() default {};

        Class<?> type() default Object.class;

        Retention nested() default @Retention(RetentionPolicy.CLASS);
    }

    static <@A T> int work(@A Object in, int n) throws Exception {
        int total = 0;
        for (int i = 0; i < n; i++) {
            if (i > 0) {
                @A("local") List<@A("argument") String> list = new @A("new") ArrayList<@A String>();
                list.add((@A(numbers = {1, 2}) String) "x" + i);
                total += list.size();
            }
            @A String @A [] other = new @A(type = int.class) String @A [n];
            total += other.length;
        }
        try (@A("resource") StringReader reader = new @A StringReader("text")) {
            total += reader.read();
        } catch (@A("caught") IllegalStateException | @A(nested = @Retention(RetentionPolicy.SOURCE)) IllegalArgumentException e) {
            return -1;
        }
        if (in instanceof @A("test") String) {
            Function<Integer, Object> make = @A("reference") ArrayList<String>::new;
            total += ((List<?>) make.apply(3)).size();
            total += Annotated.<@A("call") Integer>id(4);
        }
        return total;
    }

    static <T> T id(T t) {
        return t;
    }

    public static void main(String[] args) throws Exception {
        System.out.println(work("s", 3));
        System.out.println(work(null, 0));
    }
}
