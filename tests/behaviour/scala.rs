//! A Scala program, with all of the standard library that it uses.

use std::process::Command;

use crate::counting::{Prepared, Program, behaves};
use crate::harness::{Jdk, Test, libraries};

const WORDS: &str = r#"import scala.collection.mutable
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

sealed trait Expression
case class Number(value: BigInt) extends Expression
case class Sum(left: Expression, right: Expression) extends Expression
case class Quotient(left: Expression, right: Expression) extends Expression

object Words {
  def value(e: Expression): BigInt = e match {
    case Number(n) => n
    case Sum(l, r) => value(l) + value(r)
    case Quotient(l, r) => value(l) / value(r)
  }
  lazy val primes: LazyList[Int] = 2 #:: LazyList.from(3).filter(n => primes.takeWhile(p => p * p <= n).forall(n % _ != 0))
  def find(words: Seq[String], wanted: String): Int = {
    words.zipWithIndex.foreach { case (word, at) => if (word == wanted) return at }
    -1
  }
  def main(arguments: Array[String]): Unit = {
    implicit val context: ExecutionContext = ExecutionContext.global
    val text = (1 to 2000).map(n => s"word${n % 37} ${n.toString.reverse}").mkString(" ")
    val counts = text.split(' ').groupBy(identity).view.mapValues(_.length).toVector.sortBy { case (w, n) => (-n, w) }
    println(counts.take(5))
    println(primes.take(50).sum)
    println(find(Vector("a", "b", "c"), "b") + find(Vector("a"), "z"))
    val sums = for (n <- 1 to 20; m <- n to 20 if (n + m) % 3 == 0) yield Sum(Number(n), Quotient(Number(m), Number(n - 5)))
    val (good, bad) = sums.map(e => Try(value(e))).partition(_.isSuccess)
    println((good.map(_.get).sum, bad.map { case Failure(e) => e.getMessage; case Success(_) => "" }.distinct))
    val futures = (1 to 40).map(n => Future(if (n % 7 == 0) sys.error(s"no $n") else n * n))
    println(Await.result(Future.traverse(futures)(_.transform(Try(_))), 60.seconds).map(_.toOption))
    val map = mutable.LinkedHashMap.empty[String, List[Int]].withDefaultValue(Nil)
    for (n <- 0 until 500) map(s"k${n % 11}") = n :: map(s"k${n % 11}")
    println(map.view.mapValues(_.foldLeft(0L)(_ * 31 + _)).toList)
    println("""(\d+)-(\w+)""".r.findAllMatchIn("12-ab 7-x").map(m => (m.group(1).toInt, m.group(2))).toList)
  }
}
"#;

static PROGRAM: Program = Program {
    name: "Scala",
    main: "Words",
    classes: r"(scala\..*|Words.*|Number.*|Sum.*|Quotient.*|Expression)",
    least: 200_000,
    logs: false,
    throws: true,
};

fn prepare(test: &Test, jdk: &Jdk) -> Prepared {
    // Also a part of the corpus that is woven.
    let jars = libraries("scala-2.13", &["org.scala-lang:scala-compiler:2.13.15"]);
    let classes = test.folder().join("scala");
    fs_err::create_dir_all(&classes).expect("a folder");
    let source = test.folder().join("Words.scala");
    fs_err::write(&source, WORDS).expect("a file");
    let path = std::env::join_paths(&jars).expect("a class path");
    let mut scalac = Command::new(jdk.java());
    scalac.arg("-cp").arg(&path).args(["scala.tools.nsc.Main", "-nowarn", "-d"]).arg(&classes).arg("-cp").arg(&path);
    test.run(scalac.arg(&source)).expect_code(0);
    Prepared { class_path: [vec![classes], jars].concat(), ..Prepared::default() }
}

#[test]
fn on_17() {
    behaves(&PROGRAM, 17, prepare);
}

#[test]
fn on_25() {
    behaves(&PROGRAM, 25, prepare);
}
