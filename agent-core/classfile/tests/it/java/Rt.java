package rt;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/** Handlers of the test programs: every call becomes one line of output, `@name` and its arguments. */
public final class Rt {
    /** The arguments of the last call, for checks of identity. */
    public static Object[] last;

    private static final List<String[]> SITES = new ArrayList<>();

    private Rt() {}

    public static CallSite bootstrap(MethodHandles.Lookup caller, String name, MethodType type) throws Exception {
        MethodHandle record =
            MethodHandles.lookup().findStatic(Rt.class, "record", MethodType.methodType(void.class, String.class, Object[].class));
        MethodHandle bound = record.bindTo(name).asCollector(Object[].class, type.parameterCount());
        return new ConstantCallSite(bound.asType(type));
    }

    public static void direct(int site, Object[] references, long[] primitives) throws IOException {
        if (SITES.isEmpty()) {
            try (BufferedReader in = new BufferedReader(new FileReader(System.getProperty("rt.sites")))) {
                for (String line; (line = in.readLine()) != null; ) {
                    SITES.add(line.split(" "));
                }
            }
        }
        String[] nameAndType = SITES.get(site);
        List<Object> arguments = new ArrayList<>();
        int reference = 0;
        int primitive = 0;
        // Not a MethodType, which takes 255 slots at most.
        String kinds = nameAndType[1].replace("Ljava/lang/Object;", "L");
        for (int i = 1; i < kinds.indexOf(')'); i++) {
            char kind = kinds.charAt(i);
            arguments.add(kind == 'L' ? references[reference++] : box(kind, primitives[primitive++]));
        }
        if ((references == null ? 0 : references.length) != reference || (primitives == null ? 0 : primitives.length) != primitive) {
            throw new AssertionError("arrays of another length than " + nameAndType[1]);
        }
        record(nameAndType[0], arguments.toArray());
    }

    private static Object box(char kind, long bits) {
        switch (kind) {
            case 'Z': return bits != 0;
            case 'B': return (byte) bits;
            case 'C': return (char) bits;
            case 'S': return (short) bits;
            case 'I': return (int) bits;
            case 'F': return Float.intBitsToFloat((int) bits);
            case 'D': return Double.longBitsToDouble(bits);
            default: return bits;
        }
    }

    private static void record(String name, Object... arguments) {
        last = arguments;
        int mark = name.indexOf('#');
        int clock = mark < 0 ? -1 : Integer.parseInt(name.substring(mark + 1));
        StringBuilder line = new StringBuilder("@").append(mark < 0 ? name : name.substring(0, mark));
        for (int i = 0; i < arguments.length; i++) {
            line.append(' ').append(show(i == clock, arguments[i]));
        }
        System.out.println(line);
    }

    /** Never calls the program's own methods, which may be woven. */
    private static String show(boolean duration, Object value) {
        if (value == null) {
            return "null";
        }
        if (duration) {
            return (Long) value >= 0 && (Long) value < 60_000_000_000L ? "<ns>" : "<bad " + value + ">";
        }
        if (value instanceof String) {
            return "\"" + ((String) value).replace("\n", "\\n") + "\"";
        }
        if (value instanceof Number || value instanceof Character || value instanceof Boolean) {
            return value.getClass().getSimpleName() + ":" + value;
        }
        return value.getClass().getName();
    }
}
