//! Extensions from their sources to a running probe: two of them pack two versions of one library.

use std::path::{Path, PathBuf};

use crate::harness::{AgentProject, Test, each_jdk, fatagent, maven_artifact};
use crate::product::{app, compile, expect_file, expect_undisturbed, rounds};

/// A service of a package `PACKAGE`, and its provider, which keeps a histogram and tells what class that is of.
const SERVICE: &str = "package PACKAGE;
@io.btrace.core.extensions.ServiceDescriptor
public interface Histogram { String record(long value); }
";
const PROVIDER: &str = r#"package PACKAGE;
import org.HdrHistogram.ConcurrentHistogram;
public final class HistogramImpl extends io.btrace.core.extensions.Extension implements Histogram {
    private final ConcurrentHistogram kept = new ConcurrentHistogram(3);
    @Override public String record(long value) {
        kept.recordValue(value);
        boolean tags;
        // Version 2.1.4 has none.
        try { kept.getClass().getMethod("getTag"); tags = true; } catch (NoSuchMethodException e) { tags = false; }
        return kept.getClass().getName() + " of " + kept.getTotalCount() + " up to " + kept.getMaxValue() + " tags " + tags;
    }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Histograms {
    @Injected private static acme.older.Histogram older;
    @Injected private static acme.newer.Histogram newer;
    @OnMethod(clazz = "app.Orders", method = "place")
    public static void entry() { println(older.record(7L)); println(newer.record(9L)); }
}
"#;

/// Builds the extension `acme-<name>` with that version of the library.
fn extension(test: &Test, name: &str, version: &str) -> PathBuf {
    let folder = test.folder().join(name);
    let package = format!("acme.{name}");
    let description = format!(
        "id = \"acme-{name}\"\nversion = \"1.0.0\"\ndependencies = [\"lib/*.jar\"]\n\
         [shade]\n\"org.HdrHistogram\" = \"acme.shaded.{{id}}\"\n\
         [permissions]\nREFLECTION = \"looks at the library\"\n"
    );
    AgentProject::new(name, "")
        .file("extension.toml", description)
        .file(&format!("src/main/java/acme/{name}/Histogram.java"), SERVICE.replace("PACKAGE", &package))
        .file(&format!("src/main/java/acme/{name}/HistogramImpl.java"), PROVIDER.replace("PACKAGE", &package))
        .file(
            "lib/hdr.jar",
            fs_err::read(maven_artifact(&format!("org.hdrhistogram:HdrHistogram:{version}"))).expect("a jar"),
        )
        .write(&folder);
    test.run(fatagent().args(["extension", "build", "--compile"]).arg(&folder)).expect_code(0);
    folder.join(format!("target/extension/acme-{name}-1.0.0-extension.zip"))
}

/// The API classes of a built extension, unpacked.
fn api(zip: &Path) -> PathBuf {
    let name = zip.file_name().expect("a name").to_string_lossy().replace("-extension.zip", "-api.jar");
    let folder = zip.with_extension("api");
    fixtures::unzip(&zip.with_file_name(name), &folder).expect("a jar");
    folder
}

#[test]
fn two_extensions_pack_two_versions_of_a_library_and_probes_use_both() {
    each_jdk("histograms", |test, jdk| {
        let zips = [extension(test, "older", "2.1.4"), extension(test, "newer", "2.2.2")];
        let apis = [api(&zips[0]), api(&zips[1])];
        let probes = test.folder().join("probes");
        compile(&[("trace/Histograms.java", PROBE)], &[&apis[0], &apis[1]], &probes);
        let toml = "[agent]\nname = \"histograms\"\nversion = \"1\"\n[[extension]]\nfile = \"older.zip\"\n\
                    [[extension]]\nfile = \"newer.zip\"\n[probes]\ninclude = [\"probes/**/*.class\"]\n";
        let agent = AgentProject::new("histograms", toml)
            .file("older.zip", fs_err::read(&zips[0]).expect("a zip"))
            .file("newer.zip", fs_err::read(&zips[1]).expect("a zip"))
            .tree("probes", &probes)
            .build();
        test.run(fatagent().arg("verify").arg(&agent.jar)).expect_code(0);
        let file = test.folder().join("out.txt");
        let option =
            format!("-javaagent:{}=probes=Histograms,scriptOutputFile={}", agent.jar.display(), file.display());
        let target = app(test, jdk).jvm_option("-Dbtrace.agent.suppressDeprecation=true").jvm_option(option).launch();
        rounds(&target, &["x"]);
        let line = |id: &str, value: u64, tags: bool| {
            format!("acme.shaded.acme_{id}.ConcurrentHistogram of 1 up to {value} tags {tags}")
        };
        expect_file(test, &file, &[line("older", 7, false), line("newer", 9, true)]);
        assert_eq!(expect_undisturbed(&target, &["x"]), "");
    });
}
