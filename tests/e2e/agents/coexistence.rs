//! OpenTelemetry's agent and ours in one JVM, each of them first once; both weave the same class of the JDK.

use crate::harness::{Jdk, Test, each_jdk_of, maven_artifact};
use crate::traced::{Traced, agent_option, end, round};

/// A request to a server of its own.
const WORK: &str = r#"package work;
import com.sun.net.httpserver.*; import java.net.*;
public class Work {
    static String round(String s) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", new HttpHandler() { public void handle(HttpExchange e) throws java.io.IOException {
            e.sendResponseHeaders(200, 2);
            e.getResponseBody().write("ok".getBytes("US-ASCII"));
            e.close();
        } });
        server.start();
        try {
            URL url = new URL("http", "127.0.0.1", server.getAddress().getPort(), "/" + s);
            HttpURLConnection connection = (HttpURLConnection) url.openConnection();
            byte[] text = new byte[2];
            connection.getInputStream().read(text);
            return connection.getResponseCode() + " " + new String(text, "US-ASCII");
        } finally { server.stop(0); }
    }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Requests {
    /** How often the stream was asked for: by the application, by the JDK itself, and by the other agent. */
    static volatile int reads;
    @OnMethod(clazz = "work.Work", method = "round", location = @Location(Kind.RETURN))
    public static void round(@Return String result, @Duration long time) { println("round " + result + " " + (time > 0) + " " + (reads > 0)); }
    @OnMethod(clazz = "+com.sun.net.httpserver.HttpHandler", method = "handle")
    public static void handle(@ProbeClassName String type) { if (type.startsWith("work.")) println("handle " + type); }
    @OnMethod(clazz = "sun.net.www.protocol.http.HttpURLConnection", method = "getInputStream")
    public static void read() { reads++; }
}
"#;

fn both_see_the_request(test: &Test, jdk: &Jdk) {
    let other = maven_artifact("io.opentelemetry.javaagent:opentelemetry-javaagent:2.33.0");
    let traced = Traced::new(test, "Requests", WORK, PROBE);
    let mut seen = 0;
    for is_first in [true, false] {
        let (theirs, ours) = (agent_option(&other, ""), traced.option(""));
        let agents: [&str; 2] = if is_first { [&theirs, &ours] } else { [&ours, &theirs] };
        let exporters = ["traces.exporter=logging", "metrics.exporter=none", "logs.exporter=none"];
        let exporters = exporters.map(|option| format!("-Dotel.{option}"));
        let target = traced.plain(jdk, &[&exporters.each_ref().map(String::as_str)[..], &agents].concat());
        assert_eq!(round(&target, "a"), "200 ok");
        assert_eq!(
            traced.written(&mut seen, 2),
            ["handle work.Work$1", "round 200 ok true true"],
            "OpenTelemetry first: {is_first}"
        );
        let said = end(&target);
        assert!(said.contains("LoggingSpanExporter") && said.contains("'GET"), "first: {is_first}\n{said}");
        assert!(!said.contains("[fatagent]") && !said.contains("VerifyError"), "first: {is_first}\n{said}");
    }
}

#[test]
fn on_17() {
    each_jdk_of(&[17], "OpenTelemetry beside us", both_see_the_request);
}

#[test]
fn on_25() {
    each_jdk_of(&[25], "OpenTelemetry beside us", both_see_the_request);
}
