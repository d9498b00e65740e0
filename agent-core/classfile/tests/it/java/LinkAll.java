import java.io.BufferedReader;
import java.io.FileReader;

/** Links, and so verifies, every class named in a file; prints how many, and each failure. */
public final class LinkAll {
    public static void main(String[] args) throws Exception {
        int linked = 0;
        int absent = 0;
        try (BufferedReader in = new BufferedReader(new FileReader(args[0]))) {
            for (String name; (name = in.readLine()) != null; ) {
                try {
                    // Asking for the methods links the class without initialising it.
                    Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredMethods();
                    linked++;
                } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError e) {
                    System.out.println("FAILED " + name + ": " + e);
                } catch (NoClassDefFoundError | ClassNotFoundException e) {
                    absent++;
                }
            }
        }
        System.out.println("linked " + linked + " absent " + absent);
    }
}
