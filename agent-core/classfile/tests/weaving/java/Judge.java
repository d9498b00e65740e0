import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassHierarchyResolver.ClassHierarchyInfo;
import java.lang.classfile.ClassModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Verifies woven classes that arrive on standard input, each with its original.
 *
 * <p>The class-file API's verifier loads none of them. It does not know classes below version 51 that have no stack map frames,
 * and needs every supertype: what it refuses unwoven too is loaded by a JVM instead, woven and unwoven, and must come out the same.
 */
public final class Judge {
    private static final int DYNAMIC_SINCE = 51;
    private static final int WORKERS = 2;
    /** Verifying recurses over long chains of jumps. */
    private static final long STACK = 256L << 20;

    /** What the JVM says of a class that it has verified, and before that if it failed. */
    private static final String ENDED = "End class verification for: ";
    private static final String FAILED = "Verification for ";

    private record Job(int form, byte[] original, byte[] woven) {}

    private final ClassFile api;
    private final URL[] jars;
    /** Where this JVM tells what it verified. */
    private final Path log;
    private long told;
    private final BlockingQueue<Job> queue = new ArrayBlockingQueue<>(64);
    private final Phaser busy = new Phaser(1);
    private final Map<String, Job> doubtful = new TreeMap<>();
    private final AtomicInteger verified = new AtomicInteger();
    private int loaded;
    private int unsound;
    private int lacking;

    private Judge(Path hierarchy, Path jars, Path log) throws IOException {
        this.log = log;
        Map<ClassDesc, ClassHierarchyInfo> known = new HashMap<>();
        for (String line : Files.readAllLines(hierarchy)) {
            String[] parts = line.split("\t", -1);
            ClassDesc superclass = parts[1].isEmpty() ? null : ClassDesc.ofInternalName(parts[1]);
            known.put(
                ClassDesc.ofInternalName(parts[0]),
                parts[2].equals("I") ? ClassHierarchyInfo.ofInterface() : ClassHierarchyInfo.ofClass(superclass));
        }
        ClassHierarchyResolver corpus = known::get;
        // The JDK of this process may be another one than that of the classes: they come first.
        ClassHierarchyResolver resolver =
            corpus.orElse(ClassHierarchyResolver.defaultResolver())
                .orElse(name -> ClassHierarchyInfo.ofClass(ConstantDescs.CD_Object));
        api = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(resolver));
        List<URL> urls = new ArrayList<>();
        for (String jar : Files.readAllLines(jars)) {
            urls.add(Path.of(jar).toUri().toURL());
        }
        this.jars = urls.toArray(new URL[0]);
    }

    public static void main(String[] args) throws Exception {
        Judge judge = new Judge(Path.of(args[0]), Path.of(args[1]), Path.of(args[2]));
        for (int i = 0; i < WORKERS; i++) {
            Thread worker = new Thread(null, judge::work, "verifier", STACK);
            worker.setDaemon(true);
            worker.start();
        }
        judge.read(new DataInputStream(new java.io.BufferedInputStream(System.in, 1 << 20)));
        System.out.println(
            "DONE\t" + judge.verified + "\t" + judge.loaded + "\t" + judge.unsound + "\t" + judge.lacking);
    }

    private void read(DataInputStream in) throws Exception {
        for (int kind; (kind = in.read()) >= 0; ) {
            int form = in.readUnsignedByte();
            if (kind == 0) {
                busy.register();
                queue.put(new Job(form, bytes(in), bytes(in)));
            } else {
                busy.arriveAndAwaitAdvance();
                loadDoubtful();
            }
        }
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
        byte[] bytes = in.readNBytes(in.readInt());
        return bytes;
    }

    private void work() {
        try {
            while (true) {
                Job job = queue.take();
                try {
                    judge(job);
                } finally {
                    busy.arriveAndDeregister();
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void judge(Job job) {
        String name = "?";
        String problem;
        boolean old = false;
        try {
            ClassModel woven = api.parse(job.woven);
            name = woven.thisClass().asInternalName();
            old = woven.majorVersion() < DYNAMIC_SINCE;
            problem = old ? "old" : verify(job.woven);
        } catch (RuntimeException | StackOverflowError e) {
            problem = e.toString();
        }
        if (problem == null) {
            verified.incrementAndGet();
        } else if (!old && verify(job.original) == null) {
            fail(job, name, problem);
        } else {
            synchronized (doubtful) {
                doubtful.put(name, job);
            }
        }
    }

    /** What is wrong with a class; null if nothing is. */
    private String verify(byte[] bytes) {
        try {
            List<VerifyError> errors = api.verify(bytes);
            return errors.isEmpty() ? null : errors.getFirst().getMessage();
        } catch (RuntimeException | StackOverflowError e) {
            return e.toString();
        }
    }

    private static synchronized void fail(Job job, String name, String problem) {
        say("FAILED", job, name, problem);
    }

    private static synchronized void say(String what, Job job, String name, String problem) {
        System.out.println(what + "\t" + job.form + "\t" + name + "\t" + problem.replaceAll("\\s+", " "));
    }

    /** Links the classes in question in a loader that has all others as they were, beside one with all as they were. */
    private void loadDoubtful() throws IOException {
        Map<String, byte[]> originals = new HashMap<>();
        Map<String, byte[]> woven = new HashMap<>();
        doubtful.forEach((name, job) -> {
            originals.put(name.replace('/', '.'), job.original);
            woven.put(name.replace('/', '.'), job.woven);
        });
        try (Loader before = new Loader(jars, originals); Loader after = new Loader(jars, woven)) {
            Map<String, String> lackingNames = new TreeMap<>();
            doubtful.forEach((name, job) -> {
                String dotted = name.replace('/', '.');
                String result = after.link(dotted);
                if (result.isEmpty()) {
                    loaded++;
                    return;
                }
                String expected = before.link(dotted);
                boolean lacks = result.startsWith(Loader.LACKS);
                if (expected.isEmpty() || lacks != expected.startsWith(Loader.LACKS)) {
                    fail(job, name, result);
                } else if (lacks) {
                    lackingNames.put(name, expected);
                } else {
                    unsound++;
                    say("UNSOUND", job, name, expected + " | " + verify(job.original));
                }
            });
            // What lacks the type of a field was verified all the same, before the JVM looked for that.
            Map<String, Boolean> sound = verifiedByLoading();
            lackingNames.forEach((name, expected) -> {
                if (sound.getOrDefault(name.replace('/', '.'), false)) {
                    loaded++;
                } else {
                    lacking++;
                    say("UNSOUND", doubtful.get(name), name, expected);
                }
            });
        }
        doubtful.clear();
    }

    /**
     * Which classes the JVM has verified since the last time, and whether they passed. Of two classes of one name the first
     * counts, which is the woven one.
     */
    private Map<String, Boolean> verifiedByLoading() throws IOException {
        Map<String, Boolean> sound = new HashMap<>();
        Set<String> failed = new HashSet<>();
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(told);
            byte[] bytes = new byte[(int) (file.length() - told)];
            file.readFully(bytes);
            told += bytes.length;
            for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n")) {
                int end = line.indexOf(ENDED);
                int failure = line.indexOf(FAILED);
                if (end >= 0) {
                    String name = line.substring(end + ENDED.length()).trim();
                    sound.putIfAbsent(name, !failed.remove(name));
                } else if (failure >= 0) {
                    failed.add(line.substring(failure + FAILED.length()).split(" ")[0]);
                }
            }
        }
        return sound;
    }

    /** All classes of some jars, some of them with other bytes. */
    private static final class Loader extends URLClassLoader {
        static final String LACKS = "lacks ";

        private final Map<String, byte[]> replaced;

        Loader(URL[] jars, Map<String, byte[]> replaced) {
            super(jars, ClassLoader.getPlatformClassLoader());
            this.replaced = replaced;
        }

        /** Empty, or why the class cannot be linked. */
        String link(String name) {
            try {
                Class<?> type = loadClass(name);
                if (type.getClassLoader() != this) {
                    return LACKS + "its place: it is the platform's";
                }
                try {
                    // Of all that links, this asks for the fewest other classes.
                    type.getDeclaredFields();
                } catch (NoClassDefFoundError e) {
                    return LACKS + e.getMessage();
                }
                return "";
            } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError e) {
                return e.toString();
            } catch (LinkageError | ClassNotFoundException | SecurityException e) {
                return LACKS + e;
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> found = findLoadedClass(name);
                if (found == null && !name.startsWith("java.")) {
                    byte[] bytes = replaced.get(name);
                    if (bytes == null) {
                        bytes = resource(name);
                    }
                    if (bytes != null) {
                        found = defineClass(name, bytes, 0, bytes.length);
                    }
                }
                return found != null ? found : getParent().loadClass(name);
            }
        }

        private byte[] resource(String name) throws ClassNotFoundException {
            URL url = findResource(name.replace('.', '/') + ".class");
            if (url == null) {
                return null;
            }
            try (InputStream in = url.openStream()) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
