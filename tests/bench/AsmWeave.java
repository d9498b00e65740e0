import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Weaves every class of a jar with ASM, in memory and on one thread, and prints the median speed once it is warm: a reader, a visitor
 * that inserts the calls that the agent inserts at the entry and before returns, and a writer.
 *
 * <p>{@code AsmWeave all|one|header JAR}: all methods, the first of each class that has code, or the head of each class alone.
 * {@code shared} before the jar lets the writer begin with the reader's constant pool. {@code AsmWeave cold FILE} weaves all methods
 * of one class, once, and prints how long that took.
 */
public final class AsmWeave {
    private static final int WARM = 5;
    private static final int ROUNDS = 7;
    private static final String LINKER = "java/lang/FatAgentLinker";
    private static final Handle LINK = new Handle(Opcodes.H_INVOKESTATIC, LINKER, "link",
        "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;", false);
    private static long result;

    public static void main(String[] arguments) throws Exception {
        final String what = arguments[0];
        if (what.equals("cold")) {
            byte[] bytes = java.nio.file.Files.readAllBytes(java.nio.file.Paths.get(arguments[1]));
            long start = System.nanoTime();
            result += weave(bytes, true, false).length;
            System.out.println("cold " + (System.nanoTime() - start) / 1000 + " us");
            return;
        }
        final boolean shared = arguments[1].equals("shared");
        WarmClasses classes = new WarmClasses(arguments, shared ? 2 : 1);
        long median;
        if (what.equals("header")) {
            median = classes.median(WARM, ROUNDS, bytes -> {
                ClassReader reader = new ClassReader(bytes);
                result += reader.getAccess() + reader.getClassName().length() + reader.getInterfaces().length;
                String parent = reader.getSuperName();
                result += parent == null ? 0 : parent.length();
            });
        } else {
            final boolean all = what.equals("all");
            median = classes.median(WARM, ROUNDS, bytes -> result += weave(bytes, all, shared).length);
        }
        System.out.println("classes " + classes.size() + ", result " + result);
        System.out.println("median " + median + " MB/s");
    }

    private static byte[] weave(byte[] bytes, boolean all, boolean shared) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = shared ? new ClassWriter(reader, 0) : new ClassWriter(0);
        String name = reader.getClassName();
        boolean direct = name.startsWith("java/") || name.startsWith("jdk/") || name.startsWith("sun/");
        if (!name.startsWith("java/lang/invoke/")) {
            reader.accept(new Classes(writer, all, direct), 0);
        }
        return writer.toByteArray();
    }

    private static final class Classes extends ClassVisitor {
        private final boolean all;
        private final boolean direct;
        private boolean done;

        Classes(ClassVisitor next, boolean all, boolean direct) {
            super(Opcodes.ASM9, next);
            this.all = all;
            this.direct = direct;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
            if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0 || !all && done) {
                return next;
            }
            done = true;
            return new Methods(next, direct);
        }
    }

    private static final class Methods extends MethodVisitor {
        private final boolean direct;

        Methods(MethodVisitor next, boolean direct) {
            super(Opcodes.ASM9, next);
            this.direct = direct;
        }

        private void call(String name, int site) {
            if (direct) {
                super.visitInsn(Opcodes.ICONST_0 + site);
                super.visitInsn(Opcodes.ACONST_NULL);
                super.visitInsn(Opcodes.ACONST_NULL);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, LINKER, "call", "(I[Ljava/lang/Object;[J)V", false);
            } else {
                super.visitInvokeDynamicInsn(name, "()V", LINK);
            }
        }

        @Override
        public void visitCode() {
            super.visitCode();
            call("1:0:entry", 0);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
                call("1:1:exit", 1);
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMaxs(int stack, int locals) {
            super.visitMaxs(stack + 3, locals);
        }
    }
}
