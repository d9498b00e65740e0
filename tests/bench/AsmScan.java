import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Visits every method call of some jars with ASM, without debug information and frames, in memory and on one thread, compares the
 * owner with one package, and prints the median speed once it is warm.
 */
public final class AsmScan {
    private static final int WARM = 5;
    private static final int ROUNDS = 9;
    private static long calls;

    public static void main(String[] jars) throws Exception {
        List<byte[]> classes = new ArrayList<byte[]>();
        long total = 0;
        for (int i = 0; i < jars.length; i++) {
            ZipFile jar = new ZipFile(jars[i]);
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
        final MethodVisitor methods = new MethodVisitor(Opcodes.ASM9) {
            @Override
            public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
                if (owner.startsWith("java/net/")) {
                    calls++;
                }
            }
        };
        ClassVisitor visitor = new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
                return methods;
            }
        };
        double[] speeds = new double[ROUNDS];
        for (int round = -WARM; round < ROUNDS; round++) {
            long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            for (byte[] bytes : classes) {
                new ClassReader(bytes).accept(visitor, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            }
            long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
            if (round >= 0) {
                speeds[round] = total * 1e3 / nanos;
            }
        }
        Arrays.sort(speeds);
        System.out.println("classes " + classes.size() + ", calls " + calls / (WARM + ROUNDS));
        System.out.println("median " + Math.round(speeds[ROUNDS / 2]) + " MB/s");
    }
}
