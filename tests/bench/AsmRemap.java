import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
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
        List<byte[]> classes = new ArrayList<byte[]>();
        long total = 0;
        for (int i = jarsFrom; i < arguments.length; i++) {
            ZipFile jar = new ZipFile(arguments[i]);
            for (Enumeration<? extends ZipEntry> entries = jar.entries(); entries.hasMoreElements();) {
                ZipEntry entry = entries.nextElement();
                if (entry.getName().endsWith(".class") && !entry.getName().endsWith("module-info.class")) {
                    byte[] bytes = new byte[(int) entry.getSize()];
                    InputStream in = jar.getInputStream(entry);
                    for (int at = 0; at < bytes.length;) {
                        at += in.read(bytes, at, bytes.length - at);
                    }
                    in.close();
                    classes.add(bytes);
                    total += bytes.length;
                }
            }
            jar.close();
        }
        double[] speeds = new double[ROUNDS];
        long written = 0;
        for (int round = -WARM; round < ROUNDS; round++) {
            long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            for (byte[] bytes : classes) {
                ClassWriter writer = new ClassWriter(0);
                new ClassReader(bytes).accept(new ClassRemapper(writer, remapper), 0);
                written += writer.toByteArray().length;
            }
            long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
            if (round >= 0) {
                speeds[round] = total * 1e3 / nanos;
            }
        }
        Arrays.sort(speeds);
        System.out.println("classes " + classes.size() + ", bytes written " + written);
        System.out.println("median " + Math.round(speeds[ROUNDS / 2]) + " MB/s");
    }
}
