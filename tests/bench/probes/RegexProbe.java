package bench;

import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.OnMethod;

/** No class of the JDK matches. */
@BTrace
public class RegexProbe {
    @OnMethod(clazz = "/com\\.example\\..*/", method = "run")
    public static void entry() {}
}
