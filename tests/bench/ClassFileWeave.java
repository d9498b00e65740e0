import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;

/** What {@code AsmWeave} does, with the ClassFile API of the JDK: {@code ClassFileWeave all|one JAR}. */
public final class ClassFileWeave {
    private static final int WARM = 5;
    private static final int ROUNDS = 7;
    // The JDK's own start demands that ConstantDescs comes before the first method type.
    private static final ClassDesc LOOKUP = ConstantDescs.CD_MethodHandles_Lookup;
    private static final ClassDesc LINKER = ClassDesc.of("java.lang.FatAgentLinker");
    private static final MethodTypeDesc CALL = MethodTypeDesc.ofDescriptor("(I[Ljava/lang/Object;[J)V");
    private static final MethodTypeDesc NOTHING = MethodTypeDesc.ofDescriptor("()V");
    private static final DirectMethodHandleDesc LINK = MethodHandleDesc.ofMethod(DirectMethodHandleDesc.Kind.STATIC, LINKER, "link",
        MethodTypeDesc.of(ConstantDescs.CD_CallSite, LOOKUP, ConstantDescs.CD_String,
            ConstantDescs.CD_MethodType));
    private static final DynamicCallSiteDesc ENTRY = DynamicCallSiteDesc.of(LINK, "1:0:entry", NOTHING);
    private static final DynamicCallSiteDesc EXIT = DynamicCallSiteDesc.of(LINK, "1:1:exit", NOTHING);
    private static long result;

    public static void main(String[] arguments) throws Exception {
        boolean all = arguments[0].equals("all");
        WarmClasses classes = new WarmClasses(arguments, 1);
        ClassFile api = ClassFile.of();
        long median = classes.median(WARM, ROUNDS, bytes -> result += weave(api, bytes, all).length);
        System.out.println("classes " + classes.size() + ", result " + result);
        System.out.println("median " + median + " MB/s");
    }

    private static byte[] weave(ClassFile api, byte[] bytes, boolean all) {
        ClassModel model = api.parse(bytes);
        String name = model.thisClass().asInternalName();
        if (name.startsWith("java/lang/invoke/")) {
            return bytes;
        }
        boolean direct = name.startsWith("java/") || name.startsWith("jdk/") || name.startsWith("sun/");
        boolean[] done = new boolean[1];
        return api.transformClass(model, ClassTransform.transformingMethodBodies(method -> chosen(method, all, done),
            CodeTransform.ofStateful(() -> new Calls(direct))));
    }

    private static boolean chosen(MethodModel method, boolean all, boolean[] done) {
        if (method.code().isEmpty() || !all && done[0]) {
            return false;
        }
        done[0] = true;
        return true;
    }

    private static final class Calls implements CodeTransform {
        private final boolean direct;

        Calls(boolean direct) {
            this.direct = direct;
        }

        @Override
        public void atStart(CodeBuilder builder) {
            call(builder, ENTRY, 0);
        }

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            if (element instanceof ReturnInstruction) {
                call(builder, EXIT, 1);
            }
            builder.with(element);
        }

        private void call(CodeBuilder builder, DynamicCallSiteDesc site, int number) {
            if (direct) {
                builder.loadConstant(number).aconst_null().aconst_null().invokestatic(LINKER, "call", CALL);
            } else {
                builder.invokedynamic(site);
            }
        }
    }
}
