//! Elastic: one section `agent/` of `.esclazz`, its versioned copies at the root.

use crate::harness::{Jdk, Test, e2e_test, each_jdk_of};
use crate::vendor::{Vendor, expect_added};

const VENDOR: Vendor = Vendor {
    coordinates: "co.elastic.apm:elastic-apm-agent:1.55.1",
    section: "agent",
    suffix: ".esclazz",
    api: &[
        "co/elastic/apm/agent/tracer/AbstractLifecycleListener",
        "co/elastic/apm/agent/tracer/LifecycleListener",
        "co/elastic/apm/agent/tracer/Tracer",
    ],
    service: "co.elastic.apm.agent.tracer.LifecycleListener",
    options: &[
        "-Delastic.apm.application_packages=shop",
        "-Delastic.apm.central_config=false",
        "-Delastic.apm.cloud_provider=NONE",
        "-Delastic.apm.disable_send=true",
    ],
};

const SOURCE: &str = "package shop.agent;
    import co.elastic.apm.agent.tracer.*;
    public class Added extends AbstractLifecycleListener {
        public void start(Tracer tracer) { %says% }
    }";

fn adds_to_the_section(test: &Test, jdk: &Jdk) {
    let added = VENDOR.provider(test, "shop.agent.Added", SOURCE);
    let project = VENDOR.project("elastic-shop", added, "");
    let changes =
        ["+ agent/shop/agent/Added.esclazz", "~ agent/META-INF/services/co.elastic.apm.agent.tracer.LifecycleListener"];
    let built = VENDOR.build(test, &project, &changes);
    let stderr = VENDOR.start(test, jdk, &built.jar, &["shop.agent.Added"]);
    let loader = "co.elastic.apm.agent.premain.ShadedClassLoader";
    expect_added(&stderr, "shop.agent.Added", loader, "elastic-shop.jar!/agent/shop/agent/Added.esclazz");
}

#[test]
fn on_17() {
    each_jdk_of(&[17], "Elastic", adds_to_the_section);
}

#[test]
fn on_25() {
    each_jdk_of(&[25], "Elastic", adds_to_the_section);
}

#[test]
fn published() {
    e2e_test("Elastic's jar", |test| {
        VENDOR.check_published(test, &["agent", "cached-lookup-key"], "co.elastic.apm.agent.premain.AgentMain");
    });
}
