import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Verifies every class file below a folder with the class-file API, which loads none of them; prints each failure and a count. */
public final class Verify {
    public static void main(String[] args) throws Exception {
        // The JDK of this process may be another one than that of the classes: they come first.
        Path root = Path.of(args[0]);
        ClassHierarchyResolver woven = ClassHierarchyResolver.ofResourceParsing(name -> {
            String internal = name.descriptorString();
            Path file = root.resolve(internal.substring(1, internal.length() - 1) + ".class");
            try {
                return Files.exists(file) ? Files.newInputStream(file) : null;
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        ClassHierarchyResolver resolver =
            woven.orElse(ClassHierarchyResolver.defaultResolver()).cached();
        ClassFile api = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(resolver));
        AtomicInteger verified = new AtomicInteger();
        List<Path> files;
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(file -> file.toString().endsWith(".class")).toList();
        }
        for (Path file : files) {
            List<VerifyError> errors;
            try {
                errors = api.verify(Files.readAllBytes(file));
            } catch (RuntimeException | StackOverflowError e) {
                System.out.println("FAILED " + file + ": " + e);
                continue;
            }
            if (errors.isEmpty()) {
                verified.incrementAndGet();
            }
            errors.stream().limit(2).forEach(e -> System.out.println("FAILED " + file + ": " + e.getMessage()));
        }
        System.out.println("verified " + verified);
    }
}
