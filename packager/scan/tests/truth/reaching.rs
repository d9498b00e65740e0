//! What is reached from a service, and what is not.

use super::{IMPORTS, compile, scan_all};
use manifests::permission::Permission::{Classloader, Exec, Network, Reflection, Threads};
use scan::{Report, Roots};

/// Scans a program from the provider `t.Main`.
fn program(source: &str) -> Report {
    from(source, &Roots { instantiated: vec!["t/Main".into()], ..Roots::default() })
}

fn from(source: &str, roots: &Roots) -> Report {
    let classes = compile(&[("t/Main.java".to_owned(), format!("{IMPORTS}{source}"))]);
    scan_all(classes.values(), roots)
}

#[test]
fn a_dead_corner_privileges_nobody() {
    let report = program(
        "public class Main { public int count() { return Live.one(); } }
         class Live { static int one() { return 1; } static Object two() throws Exception { return new Socket(); } }
         class Dead { Object m() throws Exception { return new ProcessBuilder().start(); } }",
    );
    assert_eq!(report.present(), [Network, Exec]);
    assert_eq!(report.reachable(), []);
    assert_eq!(report.declared(), []);
    let (reached, all) = report.reached.unwrap();
    assert!(reached < all, "{reached} of {all}");
}

#[test]
fn a_path_leads_from_the_service_to_the_call() {
    let report = program(
        "public class Main { public void a() throws Exception { new Helper().b(); } }
         class Helper { void b() throws Exception { Other.c(); } }
         class Other { static void c() throws Exception { Runtime.getRuntime().exec(\"ls\"); } }",
    );
    let finding = report.findings.iter().find(|finding| finding.reachable).unwrap();
    assert_eq!(finding.path, ["t.Main.a", "t.Helper.b", "t.Other.c"]);
    assert_eq!((finding.target.as_str(), finding.class.as_str()), ("java.lang.Runtime.exec", "t.Other"));
    assert_eq!(report.reachable(), [Exec]);
}

#[test]
fn overriding_methods_of_what_is_made_are_reached() {
    let report = program(
        "public class Main { Base base = new Good(); public void a() throws Exception { base.go(); } }
         class Base { void go() throws Exception { } }
         class Good extends Base { void go() throws Exception { new Socket(); } }
         class Never extends Base { void go() throws Exception { new ProcessBuilder().start(); } }",
    );
    assert_eq!(report.reachable(), [Network]);
}

#[test]
fn the_order_of_call_and_instance_does_not_matter() {
    let report = program(
        "public class Main { I kept; public void a() throws Exception { kept.go(); later(); }
             void later() { kept = new Late(); } }
         interface I { void go() throws Exception; default void more() throws Exception { new ProcessBuilder().start(); } }
         class Late implements I { public void go() throws Exception { more(); } }",
    );
    assert_eq!(report.reachable(), [Exec]);
}

#[test]
fn what_the_jdk_calls_back_is_reached() {
    for body in [
        "class Task implements Runnable { public void run() { try { new Socket(); } catch (Exception e) { } } }",
        "class Task { public String toString() { try { return \"\" + new Socket(); } catch (Exception e) { return \"\"; } } }",
        "class Task implements Comparator<String> { public int compare(String a, String b) { try { new Socket(); } catch (Exception e) { } return 0; } }",
        "class Task extends Half { void step() { try { new Socket(); } catch (Exception e) { } } }
         abstract class Half implements Runnable { public void run() { step(); } abstract void step(); }",
        "class Task extends Half implements Runnable { }
         class Half { public void run() { try { new Socket(); } catch (Exception e) { } }
             public void other() { try { new ProcessBuilder().start(); } catch (Exception e) { } } }",
        "class Task extends Half implements java.sql.Driver { }
         abstract class Half { public java.sql.Connection connect(String u, Properties p) { try { new Socket(); } catch (Exception e) { } return null; }
             void other() { try { new ProcessBuilder().start(); } catch (Exception e) { } }
             public boolean acceptsURL(String u) { return true; } public int getMajorVersion() { return 1; }
             public java.sql.DriverPropertyInfo[] getPropertyInfo(String u, Properties p) { return null; }
             public int getMinorVersion() { return 1; } public boolean jdbcCompliant() { return true; }
             public java.util.logging.Logger getParentLogger() { return null; } }",
        "class Task { Object m = new EnumMap<Kind, String>(Kind.class); }
         enum Kind { ONE; Kind() { try { new Socket(); } catch (Exception e) { } } }",
    ] {
        let report = program(&format!("public class Main {{ public Object a() {{ return new Task(); }} }} {body}"));
        assert_eq!(report.reachable(), [Network], "{body}");
    }
}

#[test]
fn lambdas_and_references_are_reached_where_they_are_made() {
    let report = program(
        "public class Main { public Object a() { Callable<Object> c = () -> new Socket(); return c; }
             public Object b() { Supplier<Object> s = Dead::new; return s; } }
         class Dead { Dead() { try { new ProcessBuilder().start(); } catch (Exception e) { } } }
         class Unused { Runnable r = () -> new Thread(); }",
    );
    assert_eq!(report.present(), [Network, Threads, Exec]);
    assert_eq!(report.reachable(), [Network, Exec]);
}

#[test]
fn static_initializers_run_with_the_first_use() {
    let report = program(
        "public class Main { public int a() { return Used.x; } }
         class Parent { static { try { new Socket(); } catch (Exception e) { } } }
         class Used extends Parent { static int x = 3; static void never() { new Thread(); } }",
    );
    assert_eq!(report.reachable(), [Network]);
}

#[test]
fn classes_named_by_a_text_are_reached_whole() {
    let report = program(
        "public class Main { public Object a() throws Exception { return Class.forName(\"t.Named\"); } }
         class Named { Object any() throws Exception { return new Socket(); } }",
    );
    assert_eq!(report.reachable(), [Network, Classloader]);
    assert!(!report.is_unscannable());
}

#[test]
fn where_a_computed_name_is_reached_the_present_set_is_declared() {
    let source = "public class Main { public Object a(String n) throws Exception { return Class.forName(n); } }
         class Dead { Object m() throws Exception { return new ProcessBuilder().start(); } }";
    let report = program(source);
    assert!(report.is_unscannable());
    assert_eq!(report.reachable(), [Reflection, Classloader]);
    assert_eq!(report.declared(), [Exec, Reflection, Classloader]);
    let blind = &report.unscannable[0];
    assert_eq!((blind.class.as_str(), blind.target.as_str()), ("t.Main", "java.lang.Class.forName"));
}

#[test]
fn an_unscannable_dead_corner_does_not_widen_what_is_declared() {
    let report = program(
        "public class Main { public int a() { return 1; } }
         class Dead { Object m(String n) throws Exception { return Class.forName(n); } }",
    );
    assert!(!report.is_unscannable() && report.unscannable.len() == 1);
    assert_eq!(report.declared(), []);
}

#[test]
fn providers_are_made_by_the_service_loader() {
    let roots = Roots {
        instantiated: vec!["t/Main".into()],
        services: vec![("t.Spi".into(), vec!["t.Impl".into()]), ("t.Other".into(), vec!["t.Unused".into()])],
        ..Roots::default()
    };
    let report = from(
        "public class Main { public void a() { for (Spi s : ServiceLoader.load(Spi.class)) s.go(); } }
         interface Spi { void go(); } interface Other { void go(); }
         class Impl implements Spi { public void go() { try { new Socket(); } catch (Exception e) { } } }
         class Unused implements Other { public void go() { new Thread(); } }",
        &roots,
    );
    assert_eq!(report.reachable(), [Network]);
}

#[test]
fn open_classes_are_entered_by_their_public_members() {
    let roots = Roots { open: vec!["t/Main".into()], ..Roots::default() };
    let report = from(
        "public class Main { public Object a() throws Exception { return new Socket(); } Object hidden() { return new Thread(); } }",
        &roots,
    );
    assert_eq!(report.present(), [Network, Threads]);
    assert_eq!(report.reachable(), [Network]);
}

#[test]
fn a_class_that_cannot_be_read_is_named_by_its_index() {
    let error = scan::scan(&[scan::Class { bytes: b"no class" }], &Roots::default()).unwrap_err();
    assert_eq!(error.class, 0);
}

#[test]
fn copies_for_other_releases_count() {
    let one = compile(&[("t/Main.java".into(), format!("{IMPORTS} public class Main {{ public void a() {{ }} }}"))]);
    let two = compile(&[(
        "t/Main.java".into(),
        format!(
            "{IMPORTS} public class Main {{ public void a() throws Exception {{ b(); }} void b() throws Exception {{ new Socket(); }} }}"
        ),
    )]);
    let report =
        scan_all(one.values().chain(two.values()), &Roots { instantiated: vec!["t/Main".into()], ..Roots::default() });
    assert_eq!(report.reachable(), [Network]);
}

#[test]
fn a_private_method_is_called_whatever_a_subclass_declares() {
    let report = program(
        "public class Main { public void a() throws Exception { Base b = new Sub(); b.secret(); }
             static class Base { private void secret() throws Exception { new Socket(); } }
             static class Sub extends Base { void secret() { new Thread(); } } }",
    );
    assert_eq!(report.present(), [Network, Threads]);
    assert_eq!(report.reachable(), [Network]);
}

/// The start of a process, to be reached.
const EXEC: &str = "try { new ProcessBuilder().start(); } catch (Exception e) { }";

#[test]
fn what_a_provider_inherits_is_reached() {
    for above in [
        "abstract class Abs implements Api { public void go() { EXEC } }",
        "abstract class Abs extends Higher { } abstract class Higher implements Api { public void go() { EXEC } }",
        "abstract class Abs implements Lent { } interface Lent extends Api { default void go() { EXEC } }",
    ] {
        let report = program(&format!(
            "public class Main extends Abs {{ }} interface Api {{ void go(); }} {}",
            above.replace("EXEC", EXEC)
        ));
        assert_eq!(report.reachable(), [Exec], "{above}");
    }
}

#[test]
fn what_a_provider_overrides_is_not_reached() {
    let report = program(&format!(
        "public class Main extends Abs {{ public void go() {{ new Thread(); }} }} abstract class Abs {{ public void go() {{ {EXEC} }} }}"
    ));
    assert_eq!(report.reachable(), [Threads]);
}

#[test]
fn what_a_service_returns_is_entered_by_the_interfaces_of_the_api() {
    let source = format!(
        "public class Main implements Api {{ public Job make() {{ return new JobImpl(); }} }}
         interface Api {{ Job make(); }} interface Job extends More {{ }} interface More {{ void go(); }}
         class JobImpl implements Job {{ public void go() {{ {EXEC} }} void hidden() {{ new Thread(); }} }}
         class Never implements Job {{ public void go() {{ new Thread(); }} }}"
    );
    // The interface of what is returned is offered itself, or only by the method that returns it.
    for open in [vec!["t/Api".to_owned(), "t/Job".to_owned()], vec!["t/Api".to_owned()]] {
        let report = from(&source, &Roots { instantiated: vec!["t/Main".into()], open, ..Roots::default() });
        assert_eq!(report.present(), [Threads, Exec]);
        assert_eq!(report.reachable(), [Exec]);
    }
}

#[test]
fn open_classes_are_entered_by_what_they_inherit() {
    let roots = Roots { open: vec!["t/Main".into()], ..Roots::default() };
    let report = from(
        &format!(
            "public class Main extends Base {{ }} class Base {{ protected void go() {{ {EXEC} }} void hidden() {{ new Thread(); }} }}"
        ),
        &roots,
    );
    assert_eq!(report.reachable(), [Exec]);
}

#[test]
fn a_class_that_is_named_first_is_still_made() {
    let (log, made) = ("static final String LOG = Reg.class.getName();", "static final Reg ONE = new Reg();");
    for order in [format!("{log} {made}"), format!("{made} {log}")] {
        let report = program(&format!(
            "public class Main {{ public void a() {{ Reg.get().run(); }} }}
             class Reg implements Runnable {{ {order} static Runnable get() {{ return ONE; }} public void run() {{ {EXEC} }} }}"
        ));
        assert_eq!(report.reachable(), [Exec], "{order}");
    }
}

#[test]
fn a_call_of_the_superclass_is_not_the_call_by_the_receiver() {
    for (first, second) in
        [("super.init();", "for (Base b : all) b.init();"), ("for (Base b : all) b.init();", "super.init();")]
    {
        let report = program(&format!(
            "public class Main {{ public void a() {{ new A().init(new Base[] {{ new B() }}); }} }}
             class Base {{ void init() {{ }} }}
             class A extends Base {{ void init(Base[] all) {{ {first} {second} }} }}
             class B extends Base {{ void init() {{ {EXEC} }} }}"
        ));
        assert_eq!(report.reachable(), [Exec], "{first}");
    }
}

#[test]
fn what_a_class_inherits_is_looked_up_in_it_too() {
    let report = program(&format!(
        "public class Main {{ public Object a() throws Exception {{ return Sub.class.getMethod(\"evil\").invoke(null); }} }}
         class Sub extends Base {{ }} class Base {{ public static void evil() {{ {EXEC} }} }}"
    ));
    assert_eq!(report.reachable(), [Exec, Reflection]);
}
