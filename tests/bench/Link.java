package bench;

/** Tells what a call takes whose handler is the first of the JVM to use a service, in nanoseconds. */
public class Link {
    public static void main(String[] arguments) {
        without();
        long start = System.nanoTime();
        with();
        System.out.println(System.nanoTime() - start);
    }

    static void without() {}

    static void with() {}
}
