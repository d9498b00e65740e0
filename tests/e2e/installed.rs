//! Extensions that lie beside the agent: their APIs, their loaders, and what stands in for those that must not be used.

use crate::harness::{AgentProject, Target, each_jdk};
use crate::product::compile;

const HOST: &str = r#"package app;
public class Host {
    public static void main(String[] arguments) throws Exception {
        work();
        boolean visible = true;
        try { Class.forName("pair.PairImpl"); } catch (ClassNotFoundException e) { visible = false; }
        System.out.println("worked " + visible);
        System.exit(5);
    }
    static void work() { }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Installed {
    @Injected private static pair.Pair pair;
    @Injected private static zipped.Zipped zipped;
    @Injected private static flat.Flat flat;
    @Injected(mode = Injected.Mode.SHIM) private static denied.Denied nothing;
    @Injected(mode = Injected.Mode.THROW) private static denied.Denied throwing;
    @OnMethod(clazz = "app.Host", method = "work")
    public static void all() {
        println(pair.use().text());
        println(zipped.use());
        println(flat.use(null));
        println("denied " + nothing.use());
    }
    @OnMethod(clazz = "app.Host", method = "work")
    public static void denied() { throwing.use(); }
}
"#;

/// An extension with one service `<package>.<Name>`; `<id>-1.0.0-extension.zip` and both jars are written into the folder.
fn extension(package: &str, api: &[(&str, &str)], body: &str, permissions: &str) -> fixtures::ExtensionZip {
    let name = format!("{}{}", package[..1].to_uppercase(), &package[1..]);
    let zip = fixtures::ExtensionZip::new(package, "1.0.0").class_path(crate::product::api_classes());
    api.iter()
        .fold(zip, |zip, (path, text)| zip.api(path, text))
        .implementation(&format!("{package}/{name}Impl.java"), body)
        .attribute("BTrace-Extension-Services", &format!("{package}.{name}"))
        .attribute("BTrace-Extension-Permissions", permissions)
}

#[test]
fn installed_extensions_link_whatever_they_are_packed_in() {
    each_jdk("installed", |test, jdk| {
        let work = test.folder().join("work");
        let place = test.folder().join("place + of extensions");
        for folder in [&work, &place.join("pair")] {
            fs_err::create_dir_all(folder).expect("a folder");
        }
        let parts = [
            extension(
                "pair",
                &[
                    ("pair/Pair.java", "package pair; public interface Pair extends Base { }"),
                    ("pair/Base.java", "package pair; public interface Base { Shown use(); }"),
                    ("pair/Shown.java", "package pair; public final class Shown { public String text() { return \"shown\"; } }"),
                ],
                "package pair; public class PairImpl implements Pair { public Shown use() { return new Shown(); } }",
                "",
            ),
            extension(
                "zipped",
                &[("zipped/Zipped.java", "package zipped; public interface Zipped { String use(); }")],
                "package zipped; public class ZippedImpl implements Zipped { public String use() { \
                 try { byte[] bytes = new byte[20]; java.net.URL url = getClass().getResource(\"/zipped/text.txt\"); int n = url.openStream().read(bytes); \
                 return new String(bytes, 0, n) + \" \" + url.getPath().endsWith(\".zip!/zipped-1.0.0-impl.jar!/zipped/text.txt\"); } \
                 catch (java.io.IOException e) { return e.toString(); } } }",
                "FILE_READ",
            )
            .resource("zipped/text.txt", b"zipped"),
            extension(
                "flat",
                &[
                    ("flat/Flat.java", "package flat; public interface Flat { String use(Option option); }"),
                    ("flat/Option.java", "package flat; public enum Option { A, B }"),
                ],
                "package flat; public class FlatImpl implements Flat { public String use(Option option) { return \"flat \" + option; } }",
                "",
            ),
            extension(
                "denied",
                &[("denied/Denied.java", "package denied; public interface Denied { String use(); }")],
                "package denied; public class DeniedImpl implements Denied { static { System.exit(1); } public String use() { return \"?\"; } }",
                "EXEC",
            ),
        ];
        for part in parts {
            part.build(&work).expect("an extension");
        }
        let copy = |from: &str, to: &str| fs_err::copy(work.join(from), place.join(to)).map(drop).expect("a copy");
        copy("pair-1.0.0-api.jar", "pair/pair-1.0.0-api.jar");
        copy("pair-1.0.0-impl.jar", "pair/pair-1.0.0-impl.jar");
        copy("zipped-1.0.0-extension.zip", "zipped.zip");
        copy("denied-1.0.0-extension.zip", "denied.zip");
        fixtures::Jar::new()
            .attribute("BTrace-Extension-Id", "flat")
            .attribute("BTrace-Extension-Version", "1.0.0")
            .attribute("BTrace-Extension-Services", "flat.Flat")
            .attribute("BTrace-Extension-Permissions", "")
            .tree(&work.join("flat-classes/api"))
            .and_then(|jar| jar.tree(&work.join("flat-classes/impl")))
            .and_then(|jar| jar.write(&place.join("flat.jar")))
            .expect("a jar");

        let apis = ["pair", "zipped", "flat", "denied"].map(|id| work.join(format!("{id}-classes/api")));
        let probe = test.folder().join("probe");
        compile(&[("trace/Installed.java", PROBE)], &apis.each_ref().map(std::path::PathBuf::as_path), &probe);
        let agent = AgentProject::new("bare", "[agent]\nname = \"bare\"\nversion = \"1\"\n").build();
        let file = test.folder().join("out.txt");
        let option = format!(
            "-javaagent:{}=extPath={},script={},scriptOutputFile={}",
            agent.jar.display(),
            place.display(),
            probe.join("trace/Installed.class").display(),
            file.display()
        );
        let target = Target::builder(jdk)
            .class_path(test.compile(&[("app/Host.java", HOST)]))
            .main("app.Host")
            .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
            .jvm_option(option)
            .env("HOME", test.folder())
            .launch();
        let output = target.wait_exit().expect_code(5);
        assert_eq!(output.stdout, "worked false\n", "{}", output.stderr);
        let reason = "the extension `denied` is denied: ";
        let lines: Vec<&str> = output.stderr.lines().collect();
        assert!(
            matches!(lines[..], [line] if line.starts_with(&format!("[fatagent] denied.Denied is not there: {reason}"))),
            "{}",
            output.stderr
        );
        let text = fs_err::read_to_string(&file).expect("output");
        let (first, last) = text.trim_end().rsplit_once('\n').expect("lines");
        assert_eq!(first, "shown\nzipped true\nflat null\ndenied null");
        let failed = "handler trace.Installed.denied failed: java.lang.IllegalStateException: the service denied.Denied in the field \
                      throwing cannot be used: the extension `denied` is denied: ";
        assert!(last.starts_with(failed), "{last}");
    });
}
