import java.util.Arrays;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/** Relocates every class of some jars with ASM, in memory and on one thread, and prints the median speed once it is warm. */
public final class AsmRemap {
    private static final int WARM = 3;
    private static final int ROUNDS = 7;

    public static void main(String[] arguments) throws Exception {
        int jarsFrom = Integer.parseInt(arguments[0]) + 1;
        final String[] prefixes = Arrays.copyOfRange(arguments, 1, jarsFrom);
        Remapper remapper = new Remapper() {
            @Override
            public String map(String name) {
                for (String prefix : prefixes) {
                    if (name.startsWith(prefix)) {
                        return "shadow/" + name;
                    }
                }
                return name;
            }
        };
        WarmClasses classes = new WarmClasses(arguments, jarsFrom);
        long[] written = new long[1];
        long median = classes.median(WARM, ROUNDS, bytes -> {
            ClassWriter writer = new ClassWriter(0);
            new ClassReader(bytes).accept(new ClassRemapper(writer, remapper), 0);
            written[0] += writer.toByteArray().length;
        });
        System.out.println("classes " + classes.size() + ", bytes written " + written[0]);
        System.out.println("median " + median + " MB/s");
    }
}
