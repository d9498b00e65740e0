//! Classes that move inside masked agents and fat agents, on real JVMs.

use std::path::{Path, PathBuf};

use crate::harness::{AgentProject, Test, each_jdk, fatagent};
use crate::masked_agents::{expected, mask, plain, text};
use crate::product::{app, compile, expect_file, expect_undisturbed, rounds};

const JAVA_8: [&str; 3] = ["--release", "8", "-Xlint:-options"];

/// The classes that `sources` compile to, as a jar called `name` with main attributes.
fn jar(test: &Test, name: &str, attributes: &[(&str, &str)], sources: &[(&str, &str)], packages: &[&str]) -> PathBuf {
    let classes = test.compile_with(sources, &JAVA_8);
    let path = test.folder().join(name);
    let taken = |file: &str| packages.iter().any(|package| file.starts_with(package)).then(|| file.to_owned());
    let jar = fixtures::Jar::new().attributes(attributes).tree_as(&classes, taken).expect("classes");
    jar.write(&path).expect("a jar");
    path
}

#[test]
fn case_08_a_relocated_masked_agent_sees_itself_as_before() {
    each_jdk("relocated agent", |test, jdk| {
        let agent = plain(test, "one");
        let rules = ["--relocate", "ag=deep.ag", "--relocate", "dep=org.other.dep"];
        let jar = mask(test, "one.jar", &[&["--agent", text(&agent)], &rules[..]].concat());
        let names = fixtures::entry_names(&jar).expect("a jar");
        for name in [
            "META-INF/services/org.other.dep.Spi",
            "META-INF/versions/11/deep/ag/V.classdata",
            "deep/ag/Ag$Free.classdata",
            "org/other/dep/Provider.classdata",
        ] {
            assert!(names.contains(&format!("META-INF/btrace/agent/{name}")), "{name} in {names:?}");
        }
        let target = app(test, jdk).jvm_option(format!("-javaagent:{}=a=b,c", jar.display())).launch();
        rounds(&target, &["x"]);
        let stderr = expect_undisturbed(&target, &["x"]);
        assert_eq!(stderr.trim_end(), expected("one", "premain", "a=b,c", 1, "one.jar"));
    });
}

/// An agent, a client, what both use, a library that the agent alone moves, and a class that both see at the root.
const PARTS: [(&str, &str); 6] = [
    (
        "ag/Ag.java",
        r#"package ag;
        public class Ag {
            public static void premain(String a) throws Exception {
                System.err.println(api.Api.class.getName() + " " + lib.Lib.name() + " " + common.Common.name()
                    + " " + Class.forName("common.Common").getName() + " " + api.Api.find("common.Common", Ag.class));
            } }"#,
    ),
    (
        "cl/Cl.java",
        r"package cl;
        public class Cl {
            public static void main(String[] a) throws Exception {
                System.out.println(api.Api.class.getName() + ' ' + lib.Lib.name() + ' ' + common.Common.name());
            } }",
    ),
    (
        "common/Common.java",
        "package common; public class Common { public static String name() { return Common.class.getName() + ' ' + api.Api.class.getName(); } }",
    ),
    ("lib/Lib.java", "package lib; public class Lib { public static String name() { return Lib.class.getName(); } }"),
    (
        "api/Api.java",
        r"package api;
        public class Api {
            public static String find(String name, Class<?> from) throws Exception {
                return Class.forName(name, false, from.getClassLoader()).getName();
            } }",
    ),
    ("api/Other.java", "package api; public class Other { }"),
];

/// The jars of [`PARTS`], and an `agent.toml` with `more` before its sections.
fn parts(test: &Test, rules: &str, agent_rules: &str, shared_rules: &str) -> PathBuf {
    jar(test, "ag.jar", &[], &PARTS, &["ag/", "lib/"]);
    jar(test, "cl.jar", &[], &PARTS, &["cl/", "lib/"]);
    jar(test, "common.jar", &[], &PARTS, &["common/"]);
    jar(test, "api.jar", &[], &PARTS, &["api/"]);
    let toml = format!(
        "[agent]\nname = \"parts\"\nversion = \"1\"\nlayout = \"masked\"\n[relocate]\n{rules}\n\
         [bootstrap]\nfrom = [\"api.jar\"]\n\
         [[section]]\npath = \"META-INF/btrace/agent\"\nfrom = [\"ag.jar\"]\nrelocate = {{ {agent_rules} }}\n\
         [[section]]\npath = \"META-INF/btrace/client\"\nfrom = [\"cl.jar\"]\n\
         [[section]]\npath = \"META-INF/btrace/shared\"\nfrom = [\"common.jar\"]\nrelocate = {{ {shared_rules} }}\n\
         [manifest.attributes]\nBTrace-Agent-Main = \"ag.Ag\"\nBTrace-Client-Main = \"cl.Cl\"\n"
    );
    fs_err::write(test.folder().join("agent.toml"), toml).expect("a file");
    let done = test.run(fatagent().arg("build").current_dir(test.folder())).expect_code(0);
    let jar = test.folder().join("parts.jar");
    assert_eq!(done.stdout.trim_end(), "parts.jar", "{}", done.stderr);
    test.run(fatagent().arg("verify").arg(&jar)).expect_code(0);
    jar
}

#[test]
fn a_class_moves_by_the_rules_of_its_place_for_all_who_see_it() {
    each_jdk("sections", |test, jdk| {
        // `common` moves where it lies only, `lib` to one place for the agent and to another for the client.
        let jar = parts(
            test,
            "api = \"boot.api\"\nag = \"mine.ag\"\nlib = \"x.lib\"",
            "lib = \"y.lib\", common = \"never.common\"",
            "common = \"z.common\"",
        );
        let target = app(test, jdk).jvm_option(format!("-javaagent:{}", jar.display())).launch();
        rounds(&target, &["x"]);
        let stderr = expect_undisturbed(&target, &["x"]);
        assert_eq!(
            stderr.trim_end(),
            "boot.api.Api y.lib.Lib z.common.Common boot.api.Api z.common.Common z.common.Common"
        );
        let client = test.run(std::process::Command::new(jdk.java()).arg("-jar").arg(&jar)).expect_code(0);
        assert_eq!(client.stdout.trim_end(), "boot.api.Api x.lib.Lib z.common.Common boot.api.Api");
    });
}

const CODEC: &str = r"package com.acme.codec;
public class Codec {
    public static String version() {
        return VERSION + ' ' + Codec.class.getName() + ' ' + Plain.text()
            + ' ' + java.util.ServiceLoader.load(Part.class, Codec.class.getClassLoader()).iterator().next();
    }
}
";
const PLAIN: &str = r#"package com.acme.codec;
class Plain {
    static String text() {
        try (java.io.InputStream in = Plain.class.getResourceAsStream("/com/acme/codec/version.txt")) {
            return String.valueOf((char) in.read());
        } catch (java.io.IOException e) { return e.toString(); }
    }
}
"#;

/// An extension that embeds the given version of a library.
fn extension(work: &Path, id: &str, version: &str) -> PathBuf {
    let (package, service) = (id.replace('-', ""), format!("{}.Service", id.replace('-', "")));
    fixtures::ExtensionZip::new(id, "1.0.0")
        .api(
            &format!("{package}/Service.java"),
            &format!("package {package}; public interface Service {{ String version(); }}"),
        )
        .implementation(
            &format!("{package}/ServiceImpl.java"),
            &format!(
                "package {package}; public class ServiceImpl implements Service {{ public String version() {{ \
                 return com.acme.codec.Codec.version() + ' ' + name(); }} \
                 private String name() {{ try {{ return Class.forName(\"com.acme.codec.Codec\").getSimpleName(); }} \
                 catch (ClassNotFoundException e) {{ return e.toString(); }} }} }}"
            ),
        )
        .implementation("com/acme/codec/Codec.java", &CODEC.replace("VERSION", &format!("\"{version}\"")))
        .implementation("com/acme/codec/Plain.java", PLAIN)
        .implementation("com/acme/codec/Part.java", "package com.acme.codec; public interface Part { }")
        .implementation(
            "com/acme/codec/Only.java",
            "package com.acme.codec; public class Only implements Part { public String toString() { return \"part\"; } }",
        )
        .resource("META-INF/services/com.acme.codec.Part", b"com.acme.codec.Only\n")
        .resource("com/acme/codec/version.txt", version.as_bytes())
        .attribute("BTrace-Extension-Services", &service)
        .attribute("BTrace-Extension-Permissions", "FILE_READ,REFLECTION")
        .build(work)
        .expect("an extension")
}

const TRACE: &str = r#"package trace;
import io.btrace.core.annotations.*;
import static io.btrace.core.BTraceUtils.*;
@BTrace public class Versions {
    @Injected private static oneext.Service one;
    @Injected private static twoext.Service two;
    @OnMethod(clazz = "app.Orders", method = "place")
    public static void entry() { println(one.version()); println(two.version()); }
}
"#;

#[test]
fn two_extensions_with_two_versions_of_one_library_run_in_one_jvm() {
    each_jdk("two versions", |test, jdk| {
        let work = tempfile::tempdir().expect("a folder");
        let zips = [("one-ext", "1"), ("two-ext", "2")].map(|(id, version)| extension(work.path(), id, version));
        let apis = ["one-ext", "two-ext"].map(|id| work.path().join(format!("{id}-classes/api")));
        let probes = work.path().join("probes");
        compile(&[("trace/Versions.java", TRACE)], &[&apis[0], &apis[1]], &probes);
        let rule = "relocate = { \"com.acme.codec\" = \"shaded.{id}.codec\", \"oneext.ServiceImpl\" = \"oneext.impl.Hidden\" }";
        let toml = format!(
            "[agent]\nname = \"versions\"\nversion = \"1\"\n[[extension]]\nfile = \"one.zip\"\n{rule}\n\
             [[extension]]\nfile = \"two.zip\"\n[probes]\ninclude = [\"probes/**/*.class\"]\n\
             [relocate]\n\"com.acme.codec\" = \"other.{{id}}.codec\"\n\
             [policy]\ngrant = [\"REFLECTION\"]\n"
        );
        let agent = AgentProject::new("versions", &toml)
            .file("one.zip", fs_err::read(&zips[0]).expect("a zip"))
            .file("two.zip", fs_err::read(&zips[1]).expect("a zip"))
            .tree("probes", &probes)
            .build();
        test.run(fatagent().arg("verify").arg(&agent.jar)).expect_code(0);
        let file = test.folder().join("out.txt");
        let option = format!("-javaagent:{}=probes=Versions,scriptOutputFile={}", agent.jar.display(), file.display());
        let target = app(test, jdk).jvm_option("-Dbtrace.agent.suppressDeprecation=true").jvm_option(option).launch();
        rounds(&target, &["x"]);
        expect_file(
            test,
            &file,
            &[
                "1 shaded.one_ext.codec.Codec 1 part Codec".to_owned(),
                "2 other.two_ext.codec.Codec 2 part Codec".to_owned(),
            ],
        );
        let stderr = expect_undisturbed(&target, &["x"]);
        assert_eq!(stderr, "");
    });
}
