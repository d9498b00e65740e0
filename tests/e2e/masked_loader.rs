//! The order in which `MaskedClassLoader` looks, and what it says about it.

use crate::harness::{Target, each_jdk};
use crate::product::{agent, app, expect_undisturbed, rounds};
use std::path::Path;

/// A jar with one class and one resource in every place there is.
fn layered(test: &crate::harness::Test, jar: &Path) {
    let place = |where_: &str| {
        let name = format!("{}{}", where_[..1].to_uppercase(), &where_[1..]);
        let source =
            format!("package m; public class {name} {{ public String toString() {{ return \"{where_}\"; }} }}");
        let classes =
            test.compile_with(&[(&format!("m/{name}.java"), &source)], &["--release", "8", "-Xlint:-options"]);
        fs_err::read(classes.join(format!("m/{name}.class"))).expect("a class")
    };
    let (agent, client, shared) = (place("agent"), place("client"), place("shared"));
    let mut out = fixtures::Jar::new().folder("META-INF/btrace/shared/");
    for (section, bytes) in [("agent", &agent), ("client", &client), ("shared", &shared)] {
        let name = format!("{}{}", section[..1].to_uppercase(), &section[1..]);
        out = out
            .file(&format!("META-INF/btrace/{section}/m/{name}.classdata"), bytes)
            .file(&format!("META-INF/btrace/{section}/r/all.txt"), section.as_bytes())
            .file(&format!("META-INF/btrace/{section}/r/{section} %#.txt"), section.as_bytes());
    }
    out.file("r/all.txt", b"root").file("r/root.txt", b"root").write(jar).expect("a jar");
}

#[test]
fn parent_then_section_then_shared_and_resources_from_the_root_last() {
    each_jdk("masked loader", |test, jdk| {
        let folder = test.folder().join("p a+b%20c#é");
        fs_err::create_dir_all(&folder).expect("a folder");
        let jar = folder.join("layered.jar");
        layered(test, &jar);
        let main = r#"import io.btrace.boot.MaskedClassLoader; import java.io.*; import java.net.*; import java.util.*;
public class Main {
    public static void main(String[] a) throws Exception {
        MaskedClassLoader client = new MaskedClassLoader(a[0], "client", ClassLoader.getSystemClassLoader());
        MaskedClassLoader agent = new MaskedClassLoader(a[0], "agent", null);
        System.out.println(client.loadClass("m.Client").getConstructor().newInstance() + " " + client.loadClass("m.Shared").getConstructor().newInstance());
        System.out.println(missing(client, "m.Agent") + " " + missing(agent, "m.Client") + " " + missing(agent, "Main"));
        System.out.println(client.loadClass("Main") == Main.class);
        System.out.println(client.loadClass("m.Shared") == agent.loadClass("m.Shared"));
        System.out.println(read(client.getResource("r/all.txt")) + " " + read(client.getResource("r/shared %#.txt")) + " "
            + read(client.getResource("r/root.txt")) + " " + client.getResource("r/none.txt"));
        System.out.println(text(agent.getResourceAsStream("r/all.txt")) + " " + agent.getResourceAsStream("r/client %#.txt"));
        List<String> all = new ArrayList<>();
        for (URL u : Collections.list(client.getResources("r/all.txt"))) all.add(read(u));
        System.out.println(all);
        System.out.println(client.isRegisteredAsParallelCapable());
    }
    static String missing(ClassLoader l, String name) { try { return "found " + l.loadClass(name); } catch (ClassNotFoundException e) { return "missing"; } }
    static String read(URL u) throws IOException { URLConnection c = u.openConnection(); c.setUseCaches(false); return text(c.getInputStream()); }
    static String text(InputStream in) throws IOException { try (InputStream i = in) { return new String(i.readAllBytes(), "UTF-8"); } }
}"#;
        let api = agent().jar;
        let options = ["--release", "11", "-Xlint:-options", "-cp", api.to_str().expect("UTF-8")];
        let classes = test.compile_with(&[("Main.java", main)], &options);
        let target = Target::builder(jdk)
            .class_path(classes)
            .class_path(&api)
            .jvm_option("-Dbtrace.boot.debug=true")
            .main("Main")
            .arg(&jar);
        let output = target.launch().wait_exit().expect_code(0);
        assert_eq!(
            output.stdout,
            "client shared\nmissing missing missing\ntrue\nfalse\nclient shared root null\nagent null\n\
             [client, shared, root]\ntrue\n",
            "{}",
            output.stderr
        );
        for line in [
            "[BTrace Boot] client: class m.Client -> client",
            "[BTrace Boot] client: class m.Shared -> shared",
            "[BTrace Boot] client: class m.Agent -> not found",
            "[BTrace Boot] client: class Main -> parent",
            "[BTrace Boot] client: resource r/root.txt -> r/root.txt",
        ] {
            assert!(output.stderr.lines().any(|l| l == line), "`{line}` in:\n{}", output.stderr);
        }
    });
}

#[test]
fn a_started_agent_says_what_it_loads_when_asked() {
    each_jdk("boot debug", |test, jdk| {
        let loaded = test.folder().join("loaded.txt");
        let target = app(test, jdk)
            .jvm_option("-Dbtrace.boot.debug=true")
            .jvm_option(format!("-Xlog:class+load:file={}", loaded.display()))
            .jvm_option(format!("-javaagent:{}", agent().jar.display()))
            .launch();
        rounds(&target, &["x"]);
        let stderr = expect_undisturbed(&target, &["x"]);
        assert!(stderr.contains("[BTrace Boot] agent: class io.btrace.agent.Main -> agent"), "{stderr}");
        // What masked agents of others need costs a start of the core nothing.
        let loaded = fs_err::read_to_string(&loaded).expect("a log");
        assert!(loaded.contains(" io.btrace.boot.MaskedClassLoader "), "{loaded}");
        for other in ["ForeignAgent", "SectionManifest", "ChildClassLoader"] {
            assert!(!loaded.contains(&format!(" io.btrace.boot.{other} ")), "{other} was loaded");
        }
    });
}
