//! Datadog: many sections, and an index that says where each package lies.

use crate::harness::{Jdk, Test, e2e_test, each_jdk_of};
use crate::vendor::{Vendor, expect_added};

const VENDOR: Vendor = Vendor {
    coordinates: "com.datadoghq:dd-java-agent:1.68.0",
    section: "inst",
    suffix: ".classdata",
    api: &[
        "datadog/trace/agent/tooling/csi/CallSites",
        "datadog/trace/agent/tooling/csi/CallSites$Container",
        "datadog/trace/api/iast/IastCallSites",
    ],
    service: "datadog.trace.api.iast.IastCallSites",
    options: &[
        // What looks for the service.
        "-Ddd.iast.enabled=true",
        "-Ddd.appsec.enabled=false",
        "-Ddd.instrumentation.telemetry.enabled=false",
        "-Ddd.jmxfetch.enabled=false",
        "-Ddd.remote_config.enabled=false",
        "-Ddd.trace.startup.logs=false",
        "-Ddd.writer.type=LoggingWriter",
    ],
};

const SOURCE: &str = "package shop.agent;
    import datadog.trace.agent.tooling.csi.CallSites;
    public class Added implements datadog.trace.api.iast.IastCallSites, CallSites {
        public void accept(CallSites.Container container) { %says% }
    }";

/// Without it the agent's loader would not look for the new package in any section.
const GENERATE: &str = "[[generate]]\nrun = [\"sh\", \"-c\", 'exec java -cp . \"$FATAGENT_PROJECT/DatadogIndex.java\"']\n\
                        outputs = [\"dd-java-agent.index\"]\n";

fn adds_to_the_section(test: &Test, jdk: &Jdk) {
    let added = VENDOR.provider(test, "shop.agent.Added", SOURCE);
    let project =
        VENDOR.project("datadog-shop", added, GENERATE).file("DatadogIndex.java", include_str!("DatadogIndex.java"));
    let changes = [
        "+ inst/shop/agent/Added.classdata",
        "~ dd-java-agent.index",
        "~ inst/META-INF/services/datadog.trace.api.iast.IastCallSites",
    ];
    let built = VENDOR.build(test, &project, &changes);
    let stderr = VENDOR.start(test, jdk, &built.jar, &["shop.agent.Added"]);
    let loader = "datadog.trace.bootstrap.DatadogClassLoader";
    expect_added(&stderr, "shop.agent.Added", loader, "datadog-shop.jar!/inst/shop/agent/Added.classdata");
}

#[test]
fn on_17() {
    each_jdk_of(&[17], "Datadog", adds_to_the_section);
}

#[test]
fn on_25() {
    each_jdk_of(&[25], "Datadog", adds_to_the_section);
}

#[test]
fn published() {
    e2e_test("Datadog's jar", |test| {
        let sections = [
            "aiguard",
            "appsec",
            "ci-visibility",
            "cws-tls",
            "debugger",
            "feature-flagging",
            "iast",
            "inst",
            "jmxfetch",
            "llm-obs",
            "logs-intake",
            "metrics",
            "profiling",
            "shared",
            "trace",
        ];
        VENDOR.check_published(test, &sections, "datadog.trace.bootstrap.AgentPreCheck");
    });
}
