import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The classes of some jars, and the median speed of what is done to each of them, in memory and on one thread, once it is warm. */
final class WarmClasses {
    /** What is done to one class. */
    interface Work {
        void on(byte[] bytes);
    }

    private final List<byte[]> classes = new ArrayList<byte[]>();
    private long total;

    /** Reads the classes of {@code jars}, from the one at {@code first} on. */
    WarmClasses(String[] jars, int first) throws Exception {
        for (int i = first; i < jars.length; i++) {
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
    }

    int size() {
        return classes.size();
    }

    /** The median of {@code rounds} rounds in MB a second of processor time, after {@code warm} more. */
    long median(int warm, int rounds, Work work) {
        double[] speeds = new double[rounds];
        for (int round = -warm; round < rounds; round++) {
            long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            for (byte[] bytes : classes) {
                work.on(bytes);
            }
            long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
            if (round >= 0) {
                speeds[round] = total * 1e3 / nanos;
            }
        }
        Arrays.sort(speeds);
        return Math.round(speeds[rounds / 2]);
    }
}
