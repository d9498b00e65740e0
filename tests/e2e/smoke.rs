//! The harness's simplest user: a program on every JDK.

use crate::harness::{Target, each_jdk};

#[test]
fn hello_world_runs_on_every_jdk() {
    each_jdk("hello world", |test, jdk| {
        let source = r#"public class Hello {
            public static void main(String[] arguments) throws Exception {
                System.out.println("hello " + arguments[0] + " from Java "
                    + System.getProperty("java.specification.version"));
                System.out.println("read " + new java.io.BufferedReader(
                    new java.io.InputStreamReader(System.in)).readLine());
                System.out.println("in " + new java.io.File("").getAbsolutePath());
                System.exit(7);
            }
        }"#;
        let classes = test.compile(&[("Hello.java", source)]);
        let hello = Target::builder(jdk).class_path(&classes).main("Hello").arg("wörld").launch();
        assert_eq!(hello.wait_for_line("hello"), format!("hello wörld from Java {}", jdk.feature));
        assert!(hello.is_alive());
        hello.send_line("a line");
        let output = hello.wait_exit().expect_code(7);
        let folder = test.folder().canonicalize().expect("the test's folder");
        let expected = format!("hello wörld from Java {}\nread a line\nin {}\n", jdk.feature, folder.display());
        assert_eq!(output.stdout, expected);
        assert_eq!(output.stderr, "", "nothing comes on standard error by itself");
    });
}
