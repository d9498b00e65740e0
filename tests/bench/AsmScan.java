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
        WarmClasses classes = new WarmClasses(jars, 0);
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
        long median = classes.median(WARM, ROUNDS, bytes ->
            new ClassReader(bytes).accept(visitor, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES));
        System.out.println("classes " + classes.size() + ", calls " + calls / (WARM + ROUNDS));
        System.out.println("median " + median + " MB/s");
    }
}
