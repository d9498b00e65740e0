//! Sealed packages of extensions: what a class sees of its package, and who may have classes in it.

use crate::harness::{AgentProject, Target, each_jdk};
use crate::product::{api_classes, compile};

const HOST: &str = r#"package app;
public class Host {
    public static void main(String[] arguments) { work(); System.out.println("worked"); System.exit(5); }
    static void work() { }
}
"#;

const PROBE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Sealing {
    @Injected private static sealer.Sealer sealer;
    @Injected private static guest.Guest guest;
    @Injected private static loner.Loner loner;
    @OnMethod(clazz = "app.Host", method = "work")
    public static void all() { println(sealer.say()); println(guest.say()); println(loner.say()); }
}
"#;

/// One package is sealed, the other one is not; both have the version of the jar.
const SEALER: &str = r#"package sealer.impl;
public class SealerImpl implements sealer.Sealer {
    public String say() {
        java.net.URL own = getClass().getProtectionDomain().getCodeSource().getLocation();
        Package closed = closed.Kept.class.getPackage(), open = getClass().getPackage();
        return closed.isSealed() + " " + closed.isSealed(own) + " " + closed.getImplementationVersion() + " "
            + open.isSealed() + " " + open.getImplementationVersion();
    }
}
"#;
const MANIFEST: &str =
    "Manifest-Version: 1.0\r\nImplementation-Version: 2.5\r\n\r\nName: closed/\r\nSealed: true\r\n\r\n";

/// Has classes of its own in the package that the other one seals, and in one that it seals itself but that the other one has.
const GUEST: &str = r#"package guest.impl;
public class GuestImpl implements guest.Guest {
    public String say() {
        closed.Kept.touch();
        sealer.impl.Opened.touch();
        return attempt("closed.Intruder") + "; " + attempt("sealer.impl.Closing");
    }
    static String attempt(String name) {
        try { return Class.forName(name).getSimpleName(); } catch (ClassNotFoundException e) { return e.toString(); } catch (SecurityException e) { return e.getMessage(); }
    }
}
"#;
const GUEST_MANIFEST: &str = "Manifest-Version: 1.0\r\n\r\nName: sealer/impl/\r\nSealed: true\r\n\r\n";

const LONER: &str = "package loner.impl; public class LonerImpl implements loner.Loner { public String say() { return closed.Own.text(); } }";

#[test]
fn sealed_packages_belong_to_one_of_the_extensions_that_see_each_other() {
    each_jdk("sealing", |test, jdk| {
        let work = test.folder().join("work");
        fs_err::create_dir(&work).expect("a folder");
        let extension = |id: &str, implementation: &str| {
            let name = format!("{}{}", id[..1].to_uppercase(), &id[1..]);
            fixtures::ExtensionZip::new(id, "1.0.0")
                .class_path(api_classes())
                .api(
                    &format!("{id}/{name}.java"),
                    &format!("package {id}; public interface {name} {{ String say(); }}"),
                )
                .implementation(&format!("{id}/impl/{name}Impl.java"), implementation)
                .resource(&format!("META-INF/services/{id}.{name}"), format!("{id}.impl.{name}Impl\n").as_bytes())
                .attribute("BTrace-Extension-Services", &format!("{id}.{name}"))
                .attribute("BTrace-Extension-Permissions", "CLASSLOADER,REFLECTION")
        };
        let touch = |package: &str, name: &str| {
            format!("package {package}; public class {name} {{ public static void touch() {{ }} }}")
        };
        let sealer = extension("sealer", SEALER)
            .implementation_manifest(MANIFEST)
            .implementation("closed/Kept.java", &touch("closed", "Kept"))
            .implementation("sealer/impl/Opened.java", &touch("sealer.impl", "Opened"));
        let sealer = sealer.build(&work).expect("an extension");
        let guest = extension("guest", GUEST)
            .class_path(&work.join("sealer-classes/impl"))
            .implementation_manifest(GUEST_MANIFEST)
            .implementation("closed/Intruder.java", &touch("closed", "Intruder"))
            .implementation("sealer/impl/Closing.java", &touch("sealer.impl", "Closing"))
            .attribute("BTrace-Extension-Requires", "sealer");
        let guest = guest.build(&work).expect("an extension");
        let own = "package closed; public class Own { public static String text() { return \"own\"; } }";
        let loner =
            extension("loner", LONER).implementation("closed/Own.java", own).build(&work).expect("an extension");
        let apis = ["sealer", "guest", "loner"].map(|id| work.join(format!("{id}-classes/api")));
        let probe = test.folder().join("probe");
        compile(&[("trace/Sealing.java", PROBE)], &apis.each_ref().map(std::path::PathBuf::as_path), &probe);
        let host = test.compile(&[("app/Host.java", HOST)]);

        let bytes = |path: &std::path::Path| fs_err::read(path).expect("a zip");
        let embedded = AgentProject::new(
            "sealing",
            "[agent]\nname = \"sealing\"\nversion = \"1\"\n[[extension]]\nfile = \"sealer.zip\"\n[[extension]]\nfile = \"guest.zip\"\n\
             [[extension]]\nfile = \"loner.zip\"\n[policy]\nallowPrivileged = true\n",
        );
        let embedded = embedded
            .file("sealer.zip", bytes(&sealer))
            .file("guest.zip", bytes(&guest))
            .file("loner.zip", bytes(&loner))
            .build();
        let bare = AgentProject::new("bare", "[agent]\nname = \"bare\"\nversion = \"1\"\n").build();
        let place = test.folder().join("place");
        fs_err::create_dir(&place).expect("a folder");
        for zip in [&sealer, &guest, &loner] {
            fs_err::copy(zip, place.join(zip.file_name().expect("a name"))).expect("a copy");
        }
        let installed = format!("extPath={},allowPrivileged,", place.display());
        for (name, agent, arguments) in [("embedded", embedded, ""), ("installed", bare, installed.as_str())] {
            let file = test.folder().join(name);
            let option = format!(
                "-javaagent:{}={arguments}script={},scriptOutputFile={}",
                agent.jar.display(),
                probe.join("trace/Sealing.class").display(),
                file.display()
            );
            let target = Target::builder(jdk)
                .class_path(&host)
                .main("app.Host")
                .jvm_option("-Dbtrace.agent.suppressDeprecation=true")
                .jvm_option(option)
                .env("HOME", test.folder())
                .launch();
            let output = target.wait_exit().expect_code(5);
            assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("worked\n", ""));
            let expected = "true true 2.5 false 2.5\n\
                            sealing violation: package closed is sealed by extension sealer; sealing violation: extension guest cannot seal \
                            package sealer.impl, of which extension sealer has loaded classes\n\
                            own\n";
            assert_eq!(fs_err::read_to_string(&file).expect("output"), expected, "{name}");
        }
    });
}
