package bench;

import io.btrace.core.annotations.BTrace;
import io.btrace.core.annotations.OnMethod;

/** No class of the JDK has this annotation. */
@BTrace
public class AnnotationProbe {
    @OnMethod(clazz = "@com.example.Nothing", method = "run")
    public static void entry() {}
}
