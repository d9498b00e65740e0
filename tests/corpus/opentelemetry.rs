//! The rules that OpenTelemetry publishes its agent by, applied to what it is made of.

use std::collections::BTreeSet;
use std::path::Path;

use crate::harness::{e2e_test, fatagent, maven_artifact};

/// The agent, and the libraries of the same release that lie at its root.
const AGENT: &str = "io.opentelemetry.javaagent:opentelemetry-javaagent:2.10.0";
const LIBRARIES: [&str; 5] = [
    "io.opentelemetry:opentelemetry-api:1.44.1",
    "io.opentelemetry:opentelemetry-context:1.44.1",
    "io.opentelemetry:opentelemetry-api-incubator:1.44.1-alpha",
    "io.opentelemetry.semconv:opentelemetry-semconv:1.28.0-alpha",
    "io.opentelemetry.instrumentation:opentelemetry-instrumentation-api:2.10.0",
];

/// Its prefixes.
const RULES: [&str; 4] = [
    "io.opentelemetry.api=io.opentelemetry.javaagent.shaded.io.opentelemetry.api",
    "io.opentelemetry.context=io.opentelemetry.javaagent.shaded.io.opentelemetry.context",
    "io.opentelemetry.semconv=io.opentelemetry.javaagent.shaded.io.opentelemetry.semconv",
    "io.opentelemetry.instrumentation=io.opentelemetry.javaagent.shaded.instrumentation",
];

/// The classes of a jar that are no versioned copies.
fn classes(jar: &Path) -> BTreeSet<String> {
    let names = fixtures::entry_names(jar).expect("a jar").into_iter();
    names.filter(|name| name.strip_suffix(".class").is_some() && !name.starts_with("META-INF/")).collect()
}

/// The names in the class constants of a class file, without arrays.
fn named(class: &[u8]) -> BTreeSet<String> {
    let class = cafebabe::parse_class(class).expect("a class file");
    let constants = class.constantpool_iter();
    constants
        .filter_map(|constant| match constant {
            cafebabe::constant_pool::ConstantPoolItem::ClassInfo(name) => Some(name.to_string()),
            _ => None,
        })
        .collect()
}

#[test]
fn the_published_prefixes_give_the_published_names() {
    e2e_test("OpenTelemetry", |test| {
        let published = maven_artifact(AGENT);
        let jar = test.folder().join("shaded.jar");
        let mut command = fatagent();
        command.arg("merge").args(LIBRARIES.map(maven_artifact)).arg("-o").arg(&jar);
        for rule in RULES {
            command.args(["--relocate", rule]);
        }
        test.run(&mut command).expect_code(0);
        let (ours, theirs) = (classes(&jar), classes(&published));
        assert!(ours.len() > 500, "{}", ours.len());
        let missing: Vec<_> = ours.difference(&theirs).take(10).collect();
        assert!(missing.is_empty(), "not in the published agent: {missing:#?}");
        // What they refer to has the same names as well, but for a class that they replace by one of their own.
        let logger = "io/opentelemetry/javaagent/bootstrap/PatchLogger";
        let mut different = Vec::new();
        for name in &ours {
            let [own, other] = [&jar, &published].map(|jar| fixtures::read_entry(jar, name).expect("an entry"));
            let patched = named(&other).into_iter().map(|name| name.replace(logger, "java/util/logging/Logger"));
            let (own, other): (BTreeSet<_>, BTreeSet<_>) = (named(&own), patched.collect());
            // Their tool leaves out constants that nothing uses.
            if !other.is_subset(&own) {
                different.push((name, other.difference(&own).cloned().collect::<Vec<_>>()));
            }
        }
        assert!(different.is_empty(), "{} refer to other names: {:#?}", different.len(), different.iter().take(5));
    });
}
