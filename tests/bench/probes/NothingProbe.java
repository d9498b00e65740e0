package bench;

import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.OnMethod;

/** Arms the hook and matches nothing: one exact name and one expression. */
@BTrace
public class NothingProbe {
    @OnMethod(clazz = "com.example.Nothing", method = "run")
    public static void exact() {}

    @OnMethod(clazz = "/com\\.example\\.not\\..*/", method = "run")
    public static void expression() {}
}
