//! An extension of ours from its sources to a histogram in a running JVM.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use fixtures::{entry_names, read_entry};
use tempfile::TempDir;

use crate::harness::{AgentProject, Test, e2e_test, each_jdk, fatagent, maven_artifact};
use crate::product::{app, compile, expect_file, expect_undisturbed, rounds};

/// The service of one of the two extensions.
fn service(package: &str) -> String {
    format!(
        "package {package};\n\
         /** Records values. */\n\
         @io.btrace.core.extensions.ServiceDescriptor\n\
         public interface Recorder {{ Summary record(String name, long value); }}\n"
    )
}

/// A type that the service shows, which nothing else declares to be of the API.
fn summary(package: &str) -> String {
    format!(
        "package {package};\n\
         public final class Summary {{\n\
         \x20   private final String text;\n\
         \x20   public Summary(String text) {{ this.text = text; }}\n\
         \x20   public String text() {{ return text; }}\n\
         }}\n"
    )
}

/// The implementation, with a histogram for each name.
fn implementation(package: &str) -> String {
    format!(
        r#"package {package}.impl;
import {package}.Summary;
import java.util.concurrent.ConcurrentHashMap;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
public final class HistogramRecorder implements {package}.Recorder {{
    private final ConcurrentHashMap<String, Histogram> histograms = new ConcurrentHashMap<String, Histogram>();
    public HistogramRecorder() {{ }}
    public Summary record(String name, long value) {{
        Histogram histogram = histograms.get(name);
        if (histogram == null) {{
            Histogram made = new ConcurrentHistogram(3);
            Histogram other = histograms.putIfAbsent(name, made);
            histogram = other == null ? made : other;
        }}
        histogram.recordValue(value);
        boolean tags;
        // The older release has none.
        try {{ histogram.getClass().getMethod("getTag"); tags = true; }} catch (NoSuchMethodException e) {{ tags = false; }}
        return new Summary(histogram.getClass().getSuperclass().getName() + " tags " + tags + " count " + histogram.getTotalCount()
            + " median " + histogram.getValueAtPercentile(50) + " max " + histogram.getMaxValue());
    }}
}}
"#
    )
}

/// Writes the project of an extension that packs a version of the library.
fn project(folder: &Path, id: &str, package: &str, library: &str) {
    let path = package.replace('.', "/");
    let toml = format!(
        "id = \"{id}\"\nversion = \"1.0.0\"\ngroup = \"com.acme\"\ndescription = \"Histograms\"\n\
         dependencies = [\"maven:org.hdrhistogram:HdrHistogram:{library}\"]\n\
         [shade]\n\"org.HdrHistogram\" = \"{package}.shaded.{{id}}\"\n\
         [[setting]]\nname = \"digits\"\ntype = \"integer\"\ndefault = 3\nhelp = \"Significant digits\"\n\
         [permissions]\nREFLECTION = \"looks at the library\"\n"
    );
    for (name, text) in [
        ("extension.toml".to_owned(), toml),
        ("LICENSE".to_owned(), "Apache-2.0\n".to_owned()),
        ("README.md".to_owned(), format!("# {id}\n")),
        (format!("src/main/java/{path}/Recorder.java"), service(package)),
        (format!("src/main/java/{path}/Summary.java"), summary(package)),
        (format!("src/main/java/{path}/impl/HistogramRecorder.java"), implementation(package)),
        (
            format!("src/main/resources/META-INF/services/{package}.Recorder"),
            format!("{package}.impl.HistogramRecorder\n"),
        ),
    ] {
        let file = folder.join(name);
        fs_err::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs_err::write(file, text).expect("a file");
    }
}

const TRACE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Histograms {
    @Injected private static com.acme.metrics.Recorder metrics;
    @Injected private static com.acme.latency.Recorder latency;
    @OnMethod(clazz = "app.Orders", method = "place", location = @Location(Kind.RETURN))
    public static void placed(@Return long result) {
        println(metrics.record("place", result).text());
        println(latency.record("place", result * 2).text());
    }
}
"#;

/// What all JDKs share: the repository that extensions were published to, and what was built on the way.
struct Published {
    work: TempDir,
}

impl Published {
    fn path(&self, name: &str) -> PathBuf {
        self.work.path().join(name)
    }

    /// `fatagent` of a user whose local Maven repository is the one in `work`.
    fn fatagent(&self) -> Command {
        let mut command = fatagent();
        command.env("HOME", self.path("home")).current_dir(self.work.path());
        command
    }
}

/// Builds both extensions and publishes them, once.
fn published(test: &Test) -> &'static Published {
    static PUBLISHED: OnceLock<Published> = OnceLock::new();
    PUBLISHED.get_or_init(|| {
        let published = Published { work: tempfile::tempdir().expect("a folder") };
        let settings = format!(
            "<settings><localRepository>{}</localRepository></settings>",
            published.path("repository").display()
        );
        fs_err::create_dir_all(published.path("home/.m2")).expect("a folder");
        fs_err::write(published.path("home/.m2/settings.xml"), settings).expect("settings");
        for (id, package, library) in
            [("acme-metrics", "com.acme.metrics", "2.2.2"), ("acme-latency", "com.acme.latency", "2.1.4")]
        {
            let jar = maven_artifact(&format!("org.hdrhistogram:HdrHistogram:{library}"));
            let place = published.path(&format!("repository/org/hdrhistogram/HdrHistogram/{library}"));
            fs_err::create_dir_all(&place).expect("a folder");
            fs_err::copy(jar, place.join(format!("HdrHistogram-{library}.jar"))).expect("a jar");
            project(&published.path(id), id, package, library);
            test.run(published.fatagent().args(["extension", "build", "--compile", id])).expect_code(0);
            let lint =
                test.run(published.fatagent().args(["extension", "lint", "--strict"]).arg(zip(id))).expect_code(0);
            assert!(lint.stdout.contains("errors: 0, warnings: 0"), "{}", lint.stdout);
            test.run(published.fatagent().args(["extension", "publish", id, "--to", "repository"])).expect_code(0);
        }
        published
    })
}

/// Where the zip of an extension was built.
fn zip(id: &str) -> PathBuf {
    Path::new(id).join("target/extension").join(format!("{id}-1.0.0-extension.zip"))
}

#[test]
fn two_extensions_go_from_sources_to_a_repository_to_histograms() {
    each_jdk("histograms", |test, jdk| {
        let published = published(test);
        let repository = published.path("repository/com/acme");
        for file in [
            "acme-metrics/1.0.0/acme-metrics-1.0.0-extension.zip",
            "acme-metrics-api/1.0.0/acme-metrics-api-1.0.0.jar",
            "acme-metrics/maven-metadata.xml",
        ] {
            assert!(repository.join(file).is_file(), "{file}");
        }
        let apis = ["metrics", "latency"]
            .map(|name| repository.join(format!("acme-{name}-api/1.0.0/acme-{name}-api-1.0.0.jar")));
        let probes = test.folder().join("probes");
        compile(&[("trace/Histograms.java", TRACE)], &[&apis[0], &apis[1]], &probes);

        let toml = "[agent]\nname = \"histograms\"\nversion = \"1\"\n\
                    [[extension]]\nmaven = \"com.acme:acme-metrics:1.0.0\"\n[[extension]]\nmaven = \"com.acme:acme-latency:1.0.0\"\n\
                    [probes]\ninclude = [\"probes/**/*.class\"]\n[policy]\ngrant = [\"REFLECTION\"]\n";
        let agent = AgentProject::new("histograms", toml).tree("probes", &probes).build_by(|| {
            let mut command = fatagent();
            command.env("HOME", published.path("home"));
            command
        });
        test.run(fatagent().arg("verify").arg(&agent.jar)).expect_code(0);
        let class = |id: &str, name: &str| {
            let folder = format!("META-INF/btrace-extensions/{id}/classes/com/acme/{}/shaded", &id[5..]);
            read_entry(&agent.jar, &format!("{folder}/{}/{name}.classdata", id.replace('-', "_"))).expect("a class")
        };
        assert_ne!(class("acme-metrics", "Histogram"), class("acme-latency", "Histogram"), "two versions");
        let names = entry_names(&agent.jar).expect("a jar");
        for api in ["metrics/Recorder", "metrics/Summary", "latency/Recorder", "latency/Summary"] {
            assert!(names.contains(&format!("com/acme/{api}.class")), "{api}");
        }

        let file = test.folder().join("out.txt");
        let option =
            format!("-javaagent:{}=probes=Histograms,scriptOutputFile={}", agent.jar.display(), file.display());
        let target = app(test, jdk).jvm_option("-Dbtrace.agent.suppressDeprecation=true").jvm_option(option).launch();
        rounds(&target, &["x", "y"]);
        let line = |id: &str, tags: bool, count: usize, value: usize| {
            let name = format!("com.acme.{}.shaded.{}.Histogram", &id[5..], id.replace('-', "_"));
            format!("{name} tags {tags} count {count} median {value} max {value}")
        };
        expect_file(
            test,
            &file,
            &[
                line("acme-metrics", true, 1, 30),
                line("acme-latency", false, 1, 60),
                line("acme-metrics", true, 2, 30),
                line("acme-latency", false, 2, 60),
            ],
        );
        let stderr = expect_undisturbed(&target, &["x", "y"]);
        assert_eq!(stderr, "");
    });
}

#[test]
fn one_extension_by_its_project_its_zip_and_its_coordinates_is_the_same_agent() {
    e2e_test("three sources", |test| {
        let published = published(test);
        let (id, package) = ("acme-same", "com.acme.same");
        project(&published.path(id), id, package, "2.2.2");
        let not_built = test.run(published.fatagent().args(["extension", "build", id])).expect_code(1);
        assert!(not_built.stderr.contains("hint: run `fatagent extension build"), "{}", not_built.stderr);

        // What a build tool would have left there.
        let library = published.path("repository/org/hdrhistogram/HdrHistogram/2.2.2/HdrHistogram-2.2.2.jar");
        let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../extension-sdk/java");
        let (library, sdk) = (library.display().to_string(), sdk.display().to_string());
        let options = ["--release", "8", "-Xlint:-options", "-implicit:none", "-cp", &library, "-sourcepath", &sdk];
        let path = package.replace('.', "/");
        let sources = [
            (format!("{path}/Recorder.java"), service(package)),
            (format!("{path}/Summary.java"), summary(package)),
            (format!("{path}/impl/HistogramRecorder.java"), implementation(package)),
        ];
        let sources: Vec<(&str, &str)> = sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let out = published.path(id).join("out");
        fixtures::javac(&sources, &options, &out).expect("classes");
        let services = format!("META-INF/services/{package}.Recorder");
        fs_err::create_dir_all(out.join("META-INF/services")).expect("a folder");
        fs_err::copy(published.path(id).join("src/main/resources").join(&services), out.join(&services))
            .expect("a copy");

        test.run(published.fatagent().args(["extension", "build", id])).expect_code(0);
        test.run(published.fatagent().args(["extension", "publish", id, "--to", "repository"])).expect_code(0);
        let jars = [
            format!("path = \"{}\"", published.path(id).display()),
            format!("file = \"{}\"", published.path("").join(zip(id)).display()),
            format!("maven = \"com.acme:{id}:1.0.0\""),
        ]
        .map(|source| {
            let toml = format!("[agent]\nname = \"same\"\nversion = \"1\"\n[[extension]]\n{source}\n");
            let agent = AgentProject::new("same", &toml).build_by(|| {
                let mut command = fatagent();
                command.env("HOME", published.path("home"));
                command
            });
            fs_err::read(agent.jar).expect("a jar")
        });
        assert!(jars[0] == jars[1] && jars[1] == jars[2], "the bytes differ");
    });
}
