//! What probes call, run on every JVM found, with a runtime that prints in place of the agent's.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Stands in for the class that hands lines to the core.
const RUNTIME: &str = r#"
package io.btrace.runtime;
public final class BTraceRuntime {
  public static void send(String line) { System.out.println("[" + line + "]"); }
  public static void print(String text) { System.out.print(text); }
  public static String currentProbe() { return null; }
  public static int level() { return 0; }
  public static void setLevel(int level) {}
  public static String parameter(String name) { return "of " + name; }
}
"#;

/// An application whose objects must not be asked for their text.
const MAIN: &str = r#"
import static io.btrace.core.BTraceUtils.*;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

public class Main {
  static class Hostile implements Comparable<Hostile> {
    @Override public String toString() { throw new Error("application code ran"); }
    @Override public int hashCode() { throw new Error("application code ran"); }
    @Override public int compareTo(Hostile other) { return 0; }
  }

  static class HostileError extends RuntimeException {
    @Override public String getMessage() { throw new Error("application code ran"); }
    @Override public StackTraceElement[] getStackTrace() { return null; }
  }

  enum Own { ONE { @Override public String toString() { throw new Error("application code ran"); } } }

  static void same(String what, String expected, String actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError(what + ": expected " + expected + " but was " + actual);
    }
  }

  static void identity(Object value) {
    String expected = value.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(value));
    same("identity", expected, str(value));
  }

  static void throwing(int depth) {
    if (depth == 0) {
      throw new IllegalStateException("here");
    }
    throwing(depth - 1);
  }

  public static void main(String[] args) {
    identity(new Hostile());
    identity(new HostileError());
    identity(Own.ONE);
    ArrayList<Object> list = new ArrayList<Object>();
    list.add(new Hostile());
    identity(list);
    HashMap<String, Object> map = new HashMap<String, Object>();
    map.put("key", new Hostile());
    identity(map);
    identity(map.entrySet().iterator().next());
    identity(new AtomicReference<Object>(new Hostile()));
    identity(new Object[] {new Hostile()});
    identity(new int[0]);

    same("parameter", "of x", $("x"));
    same("null", "null", str((Object) null));
    same("String", "text", str((Object) "text"));
    same("Integer", "-5", str((Object) Integer.valueOf(-5)));
    same("StringBuilder", "ab", str(new StringBuilder("ab")));
    same("Class", "class java.lang.String", str(String.class));
    same("TimeUnit", "SECONDS", str(TimeUnit.SECONDS));
    same("exception", "java.lang.IllegalStateException: no", str(new IllegalStateException("no")));
    same("boolean", "true", str(true));
    same("char", "x", str('x'));
    same("byte", "-128", str((byte) -128));
    same("short", "32767", str((short) 32767));
    same("int", "-2147483648", str(Integer.MIN_VALUE));
    same("long", "-9223372036854775808", str(Long.MIN_VALUE));
    same("float", "NaN", str(Float.NaN));
    same("double", "0.1", str(0.1));

    same("concat", "ab", concat("a", "b"));
    same("concat left", "a", concat("a", null));
    same("concat right", "b", concat(null, "b"));
    same("concat none", "", concat(null, null));

    long before = System.currentTimeMillis();
    long millis = timeMillis();
    if (millis < before || millis > System.currentTimeMillis()) {
      throw new AssertionError("timeMillis: " + millis);
    }
    long nanos = System.nanoTime();
    long between = timeNanos();
    if (between - nanos < 0 || System.nanoTime() - between < 0) {
      throw new AssertionError("timeNanos: " + between);
    }

    print("a"); print((String) null); print((Object) "o"); print(true); print('c'); print((byte) 1); print((short) 2);
    print(3); print(4L); print(5f); print(6.0); println();
    println((String) null); println((Object) null); println(false); println('c'); println((byte) 1);
    println((short) 2); println(3); println(4L); println(5f); println(6.0); println("");

    try {
      throwing(2);
    } catch (IllegalStateException e) {
      jstack(e, 2);
      jstack(e, 0);
      jstack(e);
      same("jstackStr", "Main.throwing(Main.java:36)\n", jstackStr(e, 1));
      same("jstackStr none", "", jstackStr(e, 0));
      same("jstackStr all", 4 + "", jstackStr(e).split("\n").length + "");
    }
    jstack(null);
    same("jstackStr null", "", jstackStr(null));
    jstack(new HostileError());
    StackTraceElement[] odd = {
      new StackTraceElement("a.B", "c", null, -1),
      new StackTraceElement("a.B", "d", "B.java", -1),
      new StackTraceElement("a.B", "e", "B.java", -2),
    };
    Throwable made = new Throwable();
    made.setStackTrace(odd);
    jstack(made, 100);
  }
}
"#;

const EXPECTED: &str = "\
anullotruec12345.06.0[]
[null]
[null]
[false]
[c]
[1]
[2]
[3]
[4]
[5.0]
[6.0]
[]
[Main.throwing(Main.java:36)]
[Main.throwing(Main.java:38)]
[Main.throwing(Main.java:36)]
[Main.throwing(Main.java:38)]
[Main.throwing(Main.java:38)]
[Main.main(Main.java:95)]
[a.B.c(Unknown Source)]
[a.B.d(B.java)]
[a.B.e(Native Method)]
";

#[test]
fn utilities_print_and_never_run_the_application() {
    let folder = tempfile::tempdir().unwrap();
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agent-core/java/boot/io/btrace/core");
    let names = ["BTraceUtils.java", "SafeText.java", "StackText.java"];
    let texts = names.map(|name| (format!("io/btrace/core/{name}"), fs_err::read_to_string(core.join(name)).unwrap()));
    let mut sources: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    sources.extend([("io/btrace/runtime/BTraceRuntime.java", RUNTIME), ("Main.java", MAIN)]);
    fixtures::javac(&sources, &["--release", "8", "-Xlint:-options", "-g"], folder.path()).unwrap();

    let homes = fixtures::java_homes();
    assert!(!homes.is_empty(), "no Java was found");
    for home in homes {
        let mut command = Command::new(home.tool("java").unwrap());
        command.args(["-Xverify:all", "-cp"]).arg(folder.path()).arg("Main");
        let output = fixtures::run(&mut command, Duration::from_mins(1)).unwrap();
        assert!(output.status.success(), "on {}: {}", home.feature, output.both());
        assert_eq!(output.stdout, EXPECTED, "on {}", home.feature);
    }
}
