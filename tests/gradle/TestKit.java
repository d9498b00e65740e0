import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.gradle.testkit.runner.BuildResult;
import org.gradle.testkit.runner.BuildTask;
import org.gradle.testkit.runner.GradleRunner;

/**
 * Runs one build after the other with TestKit. Arguments: Gradle's home, TestKit's folder. A line of standard input is one build, with
 * tabs between: {@code ok} or {@code fail}, the folder, the value of PATH, then the arguments. Answered by {@code TASK path outcome} for each
 * task, the output line by line after {@code OUT }, and {@code END}; or by {@code UNEXPECTED} instead of the tasks.
 */
public class TestKit {
  public static void main(String[] arguments) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    out.println("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      List<String> words = Arrays.asList(line.split("\t"));
      Map<String, String> environment = new HashMap<>(System.getenv());
      environment.put("PATH", words.get(2));
      List<String> given = new ArrayList<>(words.subList(3, words.size()));
      GradleRunner runner =
          GradleRunner.create()
              .withGradleInstallation(new File(arguments[0]))
              .withTestKitDir(new File(arguments[1]))
              .withProjectDir(new File(words.get(1)))
              .withEnvironment(environment)
              .withArguments(given);
      String text;
      try {
        BuildResult result = words.get(0).equals("ok") ? runner.build() : runner.buildAndFail();
        for (BuildTask task : result.getTasks()) {
          out.println("TASK " + task.getPath() + " " + task.getOutcome());
        }
        text = result.getOutput();
      } catch (RuntimeException e) {
        out.println("UNEXPECTED");
        text = e.toString();
      }
      for (String said : text.split("\n")) {
        out.println("OUT " + said);
      }
      out.println("END");
    }
  }
}
