//! A Spark job in one JVM, on two threads.

use crate::counting::{Prepared, Program, behaves};
use crate::harness::{Jdk, Test, libraries};

const JOB: &str = r#"import java.util.*;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.*;
import scala.Tuple2;
public class Job {
    public static void main(String[] arguments) {
        SparkConf conf = new SparkConf().setMaster("local[2]").setAppName("job").set("spark.ui.enabled", "false")
            .set("spark.driver.host", "localhost").set("spark.driver.bindAddress", "127.0.0.1");
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            context.setLogLevel("OFF");
            List<Integer> numbers = new ArrayList<>();
            for (int n = 0; n < 20000; n++) numbers.add(n);
            JavaPairRDD<String, Integer> pairs = context.parallelize(numbers, 6).mapToPair(n -> new Tuple2<>("k" + n % 17, n)).cache();
            Map<String, Integer> sums = new TreeMap<>(pairs.reduceByKey(Integer::sum, 4).collectAsMap());
            System.out.println(sums);
            JavaPairRDD<String, Long> counts = pairs.mapValues(n -> 1L).reduceByKey(Long::sum);
            System.out.println(pairs.reduceByKey(Math::max).join(counts).sortByKey().collect());
            System.out.println(pairs.values().filter(n -> n % 1000 == 1).sortBy(n -> -n, true, 3).collect());
            org.apache.spark.util.LongAccumulator odd = context.sc().longAccumulator("odd");
            org.apache.spark.broadcast.Broadcast<int[]> table = context.broadcast(new int[] {3, 5, 7});
            pairs.values().foreach(n -> { if (n % table.value()[0] == 1) odd.add(1); });
            System.out.println(odd.value());
            try {
                pairs.values().map(n -> { if (n == 777) throw new IllegalStateException("no " + n); return n; }).count();
                System.out.println("no failure");
            } catch (Exception e) {
                System.out.println(e.getClass().getName() + " " + e.getMessage().contains("no 777"));
            }
        }
    }
}
"#;

/// What Spark asks for in its own start script.
const OPENED: [&str; 12] = [
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
];

static PROGRAM: Program = Program {
    name: "Spark",
    main: "Job",
    classes: r"(org\.apache\.spark\..*|Job.*)",
    least: 200_000,
    logs: true,
    throws: true,
};

fn prepare(test: &Test, _: &Jdk) -> Prepared {
    let jars = libraries("spark-core", &["org.apache.spark:spark-core_2.13:4.1.0"]);
    let path = std::env::join_paths(&jars).expect("a class path").into_string().expect("UTF-8");
    let options = ["--release", "17", "-cp", &path, "-proc:none", "-Xlint:none"];
    let classes = test.compile_with(&[("Job.java", JOB)], &options);
    let mut options: Vec<String> = OPENED.iter().map(|package| format!("--add-opens={package}=ALL-UNNAMED")).collect();
    options.extend(["-Xmx1g", "-Dio.netty.tryReflectionSetAccessible=true"].map(str::to_owned));
    Prepared { class_path: [vec![classes], jars].concat(), options, ..Prepared::default() }
}

#[test]
fn on_17() {
    behaves(&PROGRAM, 17, prepare);
}

#[test]
fn on_25() {
    behaves(&PROGRAM, 25, prepare);
}
