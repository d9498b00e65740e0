import java.lang.reflect.Field;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Runs the compiler in this JVM, and prints the counts of entries, returns, errors and calls at sites. */
public final class Compile {
    public static void main(String[] args) throws Exception {
        // Patched into the base module, so the compiler of this class does not know it.
        Class<?> trampoline = Class.forName("java.lang.Trampoline");
        Field counting = trampoline.getField("counting");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        counting.setBoolean(null, true);
        int status = compiler.run(null, System.out, System.err, args);
        counting.setBoolean(null, false);
        long[] counts = (long[]) trampoline.getField("COUNTS").get(null);
        System.out.println(counts[0] + " " + counts[1] + " " + counts[2] + " " + counts[3]);
        System.exit(status);
    }
}
