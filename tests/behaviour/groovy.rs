//! A Groovy script: compiled in the woven JVM, and run by its dynamic calls.

use crate::counting::{Prepared, Program, behaves};
use crate::harness::{Jdk, Test, libraries};

const SCRIPT: &str = r#"import groovy.transform.*

@Canonical class Item { String name; BigDecimal price; int count = 1
    BigDecimal getTotal() { price * count } }
trait Greets { String greet(who) { "hello ${who} from ${name}" } }
class Shop implements Greets { String name = 'shop'; def items = []
    def leftShift(item) { items << item; this }
    def methodMissing(String method, args) { "${method} with ${args.size()}" } }

def shop = new Shop()
200.times { n -> shop << new Item(name: "item${n % 13}", price: n * 1.25, count: n % 4) }
println shop.greet('you')
println shop.nothing(1, 2)
println shop.items.groupBy { it.name }.collectEntries { k, v -> [k, v*.total.sum()] }.sort()
println shop.items.findAll { it.count > 2 }.collect { it.price }.inject(0) { a, b -> a + b }
def failures = 0
(1..100).each { try { if (it % 3 == 0) throw new IllegalStateException("no ${it}"); 1.intdiv(it % 5) } catch (ArithmeticException | IllegalStateException e) { failures++ } }
println failures
@CompileStatic int sum(List<Integer> list) { int s = 0; for (int i : list) { s += i }; s }
println sum((1..1000).toList())
Integer.metaClass.twice = { -> delegate * 2 }
println 21.twice()
println "abc".collectReplacements { it == 'b' ? 'x' : null } + ('a'..'e').reverse().join('-') + [1, [2, [3]]].flatten()
def text = (1..50).collect { "line ${it}" }.join('\n')
println((text =~ /line (\d+)/).collect { it[1] as int }.sum())
println new Item('a', 1.5, 2)
try { shop.items.first().nothing } catch (MissingPropertyException e) { println e.property }
"#;

static PROGRAM: Program = Program {
    name: "Groovy",
    main: "groovy.ui.GroovyMain",
    classes: r"(groovy\..*|org\.codehaus\.groovy\..*|org\.apache\.groovy\..*|Item.*|Shop.*|Greets.*|script.*)",
    least: 200_000,
    logs: false,
    throws: true,
};

fn prepare(test: &Test, _: &Jdk) -> Prepared {
    let script = test.folder().join("script.groovy");
    fs_err::write(&script, SCRIPT).expect("a file");
    Prepared {
        class_path: libraries("groovy-4.0.29", &["org.apache.groovy:groovy:4.0.29"]),
        arguments: vec![script.display().to_string()],
        ..Prepared::default()
    }
}

#[test]
fn on_17() {
    behaves(&PROGRAM, 17, prepare);
}

#[test]
fn on_25() {
    behaves(&PROGRAM, 25, prepare);
}
