//! OpenTelemetry: one section `inst/`, and extensions as jars inside the jar.

use crate::harness::{Jdk, Test, e2e_test, each_jdk_of};
use crate::vendor::{Vendor, expect_added};

const VENDOR: Vendor = Vendor {
    coordinates: "io.opentelemetry.javaagent:opentelemetry-javaagent:2.33.0",
    section: "inst",
    suffix: ".classdata",
    api: &[
        "io/opentelemetry/sdk/autoconfigure/spi/AutoConfigurationCustomizer",
        "io/opentelemetry/sdk/autoconfigure/spi/AutoConfigurationCustomizerProvider",
        "io/opentelemetry/sdk/autoconfigure/spi/Ordered",
    ],
    service: "io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider",
    options: &["-Dotel.traces.exporter=none", "-Dotel.metrics.exporter=none", "-Dotel.logs.exporter=none"],
};

fn source(package: &str, class: &str) -> String {
    format!(
        "package {package};
         import io.opentelemetry.sdk.autoconfigure.spi.*;
         public class {class} implements AutoConfigurationCustomizerProvider {{
             public void customize(AutoConfigurationCustomizer customizer) {{ %says% }}
         }}"
    )
}

fn adds_to_the_section_and_an_extension(test: &Test, jdk: &Jdk) {
    let added = VENDOR.provider(test, "shop.agent.Added", &source("shop.agent", "Added"));
    let extension = VENDOR.provider(test, "shop.extension.Extension", &source("shop.extension", "Extension"));
    let files = "[[files]]\nfrom = [\"shop-extension.jar\"]\ninto = \"extensions\"\n";
    let project = VENDOR.project("opentelemetry-shop", added, files).file("shop-extension.jar", extension);
    let changes = [
        "+ extensions/shop-extension.jar",
        "+ inst/shop/agent/Added.classdata",
        "~ inst/META-INF/services/io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider",
    ];
    let built = VENDOR.build(test, &project, &changes);
    let stderr = VENDOR.start(test, jdk, &built.jar, &["shop.agent.Added", "shop.extension.Extension"]);
    let loader = "io.opentelemetry.javaagent.bootstrap.AgentClassLoader";
    expect_added(&stderr, "shop.agent.Added", loader, ":/inst/shop/agent/Added.classdata");
    let loader = "io.opentelemetry.javaagent.tooling.ExtensionClassLoader";
    expect_added(&stderr, "shop.extension.Extension", loader, ":/shop/extension/Extension.class");
}

#[test]
fn on_17() {
    each_jdk_of(&[17], "OpenTelemetry", adds_to_the_section_and_an_extension);
}

#[test]
fn on_25() {
    each_jdk_of(&[25], "OpenTelemetry", adds_to_the_section_and_an_extension);
}

#[test]
fn published() {
    e2e_test("OpenTelemetry's jar", |test| {
        VENDOR.check_published(test, &["inst"], "io.opentelemetry.javaagent.OpenTelemetryAgent");
    });
}
