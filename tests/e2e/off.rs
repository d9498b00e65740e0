//! Taking probes off a live JVM, and putting them back.

use crate::harness::{Target, each_jdk, fatagent};
use crate::product::{agent, app, expect_file, expect_undisturbed, expected_lines, jcmd_load, library, rounds};

#[test]
fn off_makes_sites_no_ops_and_restores_the_classes() {
    each_jdk("off", |test, jdk| {
        let file = test.folder().join("out.txt");
        let arguments = format!("probes=OrderTrace,scriptOutputFile={}", file.display());
        let target = app(test, jdk).launch();
        rounds(&target, &["a"]);
        let woven = test.folder().join("woven");
        jcmd_load(
            test,
            jdk,
            &target,
            &agent().jar,
            &format!("{arguments},dumpClasses=true,dumpDir={}", woven.display()),
        );
        rounds(&target, &["b"]);
        expect_file(test, &file, &expected_lines("b", 101));
        // What was woven is on the disk, so that "restored" below has something to differ from.
        assert!(woven.join("app/Orders.class").is_file());

        let off = test.run(fatagent().arg("off").arg(target.pid().to_string())).expect_code(0);
        assert_eq!(off.stdout, "", "stdout is for data: {}", off.stderr);
        rounds(&target, &["c"]);
        expect_file(test, &file, &expected_lines("b", 101));

        // Restored: nothing of ours is left in the class as the JVM sees it when it retransforms it again.
        let seen = test.folder().join("seen");
        let spy = spy(test);
        jcmd_load(test, jdk, &target, &spy, seen.to_str().expect("UTF-8"));
        let class = test.wait_until("the spy saw the class", || fs_err::read(seen.join("Orders.class")).ok());
        assert!(!contains(&class, b"FatAgentLinker"), "the class still names the linker");
        let still = fs_err::read(woven.join("app/Orders.class")).expect("the woven class");
        assert!(contains(&still, b"FatAgentLinker"), "the woven class names it");

        // And again: the same probe is a new one, with services of its own.
        jcmd_load(test, jdk, &target, &agent().jar, &arguments);
        rounds(&target, &["d"]);
        expect_file(test, &file, &[expected_lines("b", 101), expected_lines("d", 101)].concat());
        expect_undisturbed(&target, &["a", "b", "c", "d"]);
    });
}

#[test]
fn off_works_whatever_started_the_agent() {
    each_jdk("off, any start", |test, jdk| {
        for agentpath in [false, true] {
            let file = test.folder().join(format!("out-{agentpath}.txt"));
            let arguments = format!("probes=OrderTrace,scriptOutputFile={}", file.display());
            let jar = agent().jar;
            let option = if agentpath {
                format!("-agentpath:{}=jar={},{arguments}", library().display(), jar.display())
            } else {
                format!("-javaagent:{}={arguments}", jar.display())
            };
            let target = app(test, jdk).jvm_option(option).launch();
            rounds(&target, &["a"]);
            expect_file(test, &file, &expected_lines("a", 101));
            let client = Target::builder(jdk).jar(&jar).arg("off").arg(target.pid().to_string()).launch();
            client.wait_exit().expect_code(0);
            rounds(&target, &["b"]);
            expect_file(test, &file, &expected_lines("a", 101));
            expect_undisturbed(&target, &["a", "b"]);
        }
    });
}

#[test]
fn off_without_an_agent_is_an_error_with_a_hint() {
    each_jdk("off, nothing there", |test, jdk| {
        let target = app(test, jdk).launch();
        rounds(&target, &["a"]);
        let off = test.run(fatagent().arg("off").arg(target.pid().to_string())).expect_code(1);
        assert!(off.stderr.contains("error: ") && off.stderr.contains("hint: "), "{}", off.stderr);
        expect_undisturbed(&target, &["a"]);
    });
}

/// An agent of its own that writes the bytes it is handed for `app.Orders` when that is retransformed.
fn spy(test: &crate::harness::Test) -> std::path::PathBuf {
    const SPY: &str = r#"import java.lang.instrument.*;
public class Spy implements ClassFileTransformer {
    private final String folder;
    Spy(String folder) { this.folder = folder; }
    public static void agentmain(String folder, Instrumentation inst) throws Exception {
        Spy spy = new Spy(folder);
        inst.addTransformer(spy, true);
        for (Class<?> c : inst.getAllLoadedClasses()) if (c.getName().equals("app.Orders")) inst.retransformClasses(c);
        inst.removeTransformer(spy);
    }
    public byte[] transform(ClassLoader l, String name, Class<?> c, java.security.ProtectionDomain d, byte[] bytes) {
        if ("app/Orders".equals(name)) {
            try {
                java.io.File dir = new java.io.File(folder);
                dir.mkdirs();
                java.io.File part = new java.io.File(dir, "part");
                try (java.io.FileOutputStream out = new java.io.FileOutputStream(part)) { out.write(bytes); }
                part.renameTo(new java.io.File(dir, "Orders.class"));
            } catch (java.io.IOException e) { e.printStackTrace(); }
        }
        return null;
    }
}
"#;
    let classes = test.compile(&[("Spy.java", SPY)]);
    let jar = test.folder().join("spy.jar");
    fixtures::Jar::new()
        .attributes(&[("Agent-Class", "Spy"), ("Can-Retransform-Classes", "true")])
        .tree(&classes)
        .and_then(|j| j.write(&jar))
        .expect("a jar");
    jar
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|w| w == part)
}
