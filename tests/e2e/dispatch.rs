//! What stands between a site and its handler: levels, sampling, limits, the guard, and the way back to nothing.

use crate::harness::each_jdk;
use crate::traced::{Traced, end, round};
use std::process::Command;

const WORK: &str = r#"package work;
public class Work {
    static long ticks;
    static String round(String s) throws Exception {
        if (s.startsWith("many")) {
            Thread[] threads = new Thread[4];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread() { public void run() { for (int k = 0; k < 250000; k++) tick(k); } };
                threads[i].start();
            }
            for (Thread t : threads) t.join();
        } else if (s.startsWith("second")) {
            for (long end = System.nanoTime() + 1000000000L; System.nanoTime() < end; ) tick(0);
        } else {
            tick(7);
        }
        done(s);
        return "done";
    }
    static void tick(int n) { ticks += n; }
    static void done(String s) {}
}
"#;

#[test]
fn levels_open_and_close_handlers_without_retransforming() {
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Levels {
    @OnMethod(clazz = "work.Work", method = "tick", enableAt = @Level("<1")) public static void low() { println("low"); }
    @OnMethod(clazz = "work.Work", method = "tick", enableAt = @Level("1..2")) public static void middle() { println("middle"); }
    @OnMethod(clazz = "work.Work", method = "tick", enableAt = @Level("2")) public static void high() { println("high"); }
    @OnMethod(clazz = "work.Work", method = "done") public static void done(String s) {
        if ("up".equals(s)) setInstrumentationLevel(getInstrumentationLevel() + 1);
        println("level " + getInstrumentationLevel());
    }
}
"#;
    each_jdk("levels", |test, jdk| {
        let traced = Traced::new(test, "Levels", WORK, PROBE);
        let woven = test.folder().join("woven");
        let target = traced.started(jdk, &format!("dumpClasses=true,dumpDir={}", woven.display()));
        let mut seen = 0;
        let mut after = |name: &str, expected: &[&str]| {
            round(&target, name);
            assert_eq!(traced.written(&mut seen, expected.len()), expected, "round {name}");
        };
        after("a", &["low", "level 0"]);
        let dumped = woven.join("work/Work.class");
        fs_err::remove_file(&dumped).expect("the class was woven");
        traced.load(jdk, &target, "level=1");
        after("b", &["middle", "level 1"]);
        // By the handler itself.
        after("up", &["middle", "level 2"]);
        after("c", &["middle", "high", "level 2"]);
        // For the probes that are named, and submitted already.
        traced.load(jdk, &target, &traced.arguments("level=3"));
        after("d", &["high", "level 3"]);
        traced.load(jdk, &target, "level=-1");
        after("e", &["low", "level -1"]);
        assert!(!dumped.exists(), "nothing was retransformed");
        assert_eq!(end(&target), "");
    });
}

#[test]
fn a_level_can_be_given_from_the_start() {
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Level5 {
    @OnMethod(clazz = "work.Work", method = "tick", enableAt = @Level("=5")) public static void five() { println("five"); }
}
"#;
    each_jdk("level, from the start", |test, jdk| {
        let traced = Traced::new(test, "Level5", WORK, PROBE);
        let target = traced.started(jdk, "level=5");
        round(&target, "a");
        assert_eq!(traced.written(&mut 0, 1), ["five"]);
        assert_eq!(end(&target), "");
    });
}

/// A million events on four threads: the observed mean is within 5 % of the one asked for, which is more than ten times the
/// standard deviation.
#[test]
fn constant_sampling_takes_one_of_its_mean() {
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import java.util.concurrent.atomic.AtomicLong;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Sampling {
    static final AtomicLong TEN = new AtomicLong(); static final AtomicLong FIFTY = new AtomicLong(); static final AtomicLong ALL = new AtomicLong();
    @Sampled @OnMethod(clazz = "work.Work", method = "tick") public static void ten() { TEN.incrementAndGet(); }
    @Sampled(mean = 50) @OnMethod(clazz = "work.Work", method = "tick", location = @Location(Kind.RETURN)) public static void fifty() { FIFTY.incrementAndGet(); }
    @Sampled(mean = 1) @OnMethod(clazz = "work.Work", method = "tick") public static void all() { ALL.incrementAndGet(); }
    @OnMethod(clazz = "work.Work", method = "done") public static void done() { println(TEN.get() + " " + FIFTY.get() + " " + ALL.get()); }
}
"#;
    each_jdk("constant sampling", |test, jdk| {
        let traced = Traced::new(test, "Sampling", WORK, PROBE);
        let target = traced.started(jdk, "");
        round(&target, "many");
        let line = traced.written(&mut 0, 1).remove(0);
        let counts: Vec<f64> = line.split(' ').map(|n| n.parse().expect("a number")).collect();
        assert!((1e6 / counts[0] - 10.0).abs() < 0.5, "{line}");
        assert!((1e6 / counts[1] - 50.0).abs() < 2.5, "{line}");
        assert!((counts[2] - 1e6).abs() < 0.5, "{line}");
        assert_eq!(end(&target), "");
    });
}

/// The handler runs at most once in its mean, however many events there are; the clock is the probe's own.
#[test]
fn adaptive_sampling_keeps_its_distance() {
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import java.util.concurrent.atomic.AtomicLong;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Adaptive {
    static final AtomicLong TAKEN = new AtomicLong(); static final AtomicLong ALL = new AtomicLong();
    static final long START = System.nanoTime();
    @OnMethod(clazz = "work.Work", method = "tick") public static void all() { ALL.incrementAndGet(); }
    @Sampled(kind = Sampled.Sampler.Adaptive, mean = 100000) @OnMethod(clazz = "work.Work", method = "tick") public static void taken() { TAKEN.incrementAndGet(); }
    @OnMethod(clazz = "work.Work", method = "done") public static void done() { println(TAKEN.get() + " " + ALL.get() + " " + (System.nanoTime() - START)); }
}
"#;
    each_jdk("adaptive sampling", |test, jdk| {
        let traced = Traced::new(test, "Adaptive", WORK, PROBE);
        let target = traced.started(jdk, "");
        round(&target, "second");
        let line = traced.written(&mut 0, 1).remove(0);
        let counts: Vec<u64> = line.split(' ').map(|n| n.parse().expect("a number")).collect();
        let [taken, all, nanos] = counts[..] else { panic!("{line}") };
        assert!(taken <= nanos / 100_000 + 1, "{line}");
        assert!(taken >= 100 && taken < all, "{line}");
        assert_eq!(end(&target), "");
    });
}

#[test]
fn a_probe_with_too_many_events_is_off_after_one_line() {
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import java.util.concurrent.atomic.AtomicLong;
@BTrace public class Flood {
    static final AtomicLong N = new AtomicLong();
    @OnMethod(clazz = "work.Work", method = "tick") public static void tick() { System.setProperty("flood", "" + N.incrementAndGet()); }
}
"#;
    each_jdk("event limit", |test, jdk| {
        let work = WORK.replace("return \"done\"", "return System.getProperty(\"flood\")");
        let traced = Traced::new(test, "Flood", &work, PROBE);
        let target = traced.started(jdk, "maxEventsPerSecond=1000");
        let events: u64 = round(&target, "many").parse().expect("a number");
        // The last of several threads to write is not the last that counted.
        assert!((1..1_000_000).contains(&events), "{events}");
        assert_eq!(round(&target, "few"), events.to_string());
        let said = end(&target);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(
            said.contains("probe trace.Flood is off: more than maxEventsPerSecond=1000") && said.contains("hint: "),
            "{said}"
        );
    });
}

/// A handler that comes back to woven code through an object it was given is not called again inside itself.
#[test]
fn handlers_do_not_run_inside_themselves() {
    const WORK: &str = r#"package work;
public class Work {
    int calls;
    public String toString() { calls++; return "w" + calls; }
    static String round(String s) { return new Work().toString(); }
}
"#;
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
@BTrace public class Again {
    @OnMethod(clazz = "work.Work", method = "toString") public static void enter(@Self Object self) { self.toString(); }
}
"#;
    each_jdk("guard", |test, jdk| {
        let traced = Traced::new(test, "Again", WORK, PROBE);
        let target = traced.started(jdk, "");
        assert_eq!(round(&target, "a"), "w2");
        assert_eq!(round(&target, "b"), "w2");
        assert_eq!(end(&target), "");
    });
}

/// After the probes are off nothing holds their classes, nor the call sites that knew them.
#[test]
fn the_probe_class_is_unloaded_after_off() {
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Gone {
    @Sampled(mean = 2) @OnMethod(clazz = "work.Work", method = "tick", enableAt = @Level(">=0")) public static void tick(int n) { println("tick"); }
    @OnMethod(clazz = "work.Work", method = "done") public static void done(String s) { println(s); }
    @OnMethod(clazz = "java.lang.Thread", method = "join", location = @Location(Kind.RETURN)) public static void joined() { println("joined"); }
}
"#;
    each_jdk("unloading", |test, jdk| {
        let traced = Traced::new(test, "Gone", WORK, PROBE);
        let log = test.folder().join("unloaded.txt");
        let target = traced.plain(jdk, &[&format!("-Xlog:class+unload:file={}", log.display())]);
        for name in ["a", "b"] {
            traced.load(jdk, &target, &traced.arguments("maxEventsPerSecond=1000000"));
            round(&target, name);
            traced.load(jdk, &target, "off");
        }
        test.wait_until("both probe classes were unloaded", || {
            let mut gc = Command::new(jdk.jcmd());
            test.run(gc.arg(target.pid().to_string()).arg("GC.run")).expect_code(0);
            let text = fs_err::read_to_string(&log).unwrap_or_default();
            (text.matches("unloading class trace.Gone").count() == 2).then_some(())
        });
        round(&target, "c");
        end(&target);
    });
}

/// Woven code adds no frame to the application's: who asks for its caller gets it, and a handler sees the stack from the woven
/// method on.
#[test]
fn callers_are_those_of_the_application() {
    const WORK: &str = r#"package work;
public class Work {
    static String round(String s) throws Exception {
        java.util.Map<String, String> map = new java.util.HashMap<>();
        map.put("a", "b");
        return caller() + " " + Class.forName("work.Work").getSimpleName() + " " + new Throwable().getStackTrace().length;
    }
    static String caller() throws Exception {
        StackWalker walker = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
        return walker.getCallerClass().getSimpleName() + " " + java.lang.invoke.MethodHandles.lookup().lookupClass().getSimpleName();
    }
}
"#;
    const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Callers {
    @OnMethod(clazz = "work.Work", method = "caller") public static void enter() { print("enter "); say(); }
    @OnMethod(clazz = "work.Work", method = "caller", location = @Location(Kind.RETURN)) public static void leave() { print("leave " + jstackStr(1)); }
    @OnMethod(clazz = "work.Work", method = "/.*/", location = @Location(value = Kind.CALL, clazz = "/java\\.lang\\.(Class|StackWalker)/", method = "/.*/"))
    public static void call(@TargetMethodOrField String name) { print("call " + name + " "); jstack(1); }
    @OnMethod(clazz = "java.util.HashMap", method = "put") public static void put(Object key, Object value) { if (key == "a") { print("put "); jstack(2); } }
    private static void say() { jstack(2); }
}
"#;
    each_jdk("callers", |test, jdk| {
        let options = ["--release", "11", "-g", "-Xlint:-options"];
        let traced = Traced::with_options(test, "Callers", WORK, PROBE, &options);
        let plain = traced.plain(jdk, &[]);
        let alone = round(&plain, "a");
        end(&plain);
        let target = traced.started(jdk, "");
        assert_eq!(round(&target, "a"), alone);
        // Without file and line, which a small runtime does not know of the JDK's own classes.
        let lines: Vec<String> = traced
            .written(&mut 0, 11)
            .into_iter()
            .map(|l| l.split('(').next().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(
            lines,
            [
                "put java.util.HashMap.put",
                "work.Work.round",
                "enter work.Work.caller",
                "work.Work.round",
                "call getInstance work.Work.caller",
                "call getCallerClass work.Work.caller",
                "call getSimpleName work.Work.caller",
                "call getSimpleName work.Work.caller",
                "leave work.Work.caller",
                "call forName work.Work.round",
                "call getSimpleName work.Work.round",
            ]
        );
        assert_eq!(end(&target), "");
    });
}
