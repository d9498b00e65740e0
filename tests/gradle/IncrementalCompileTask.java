package org.gradle.internal.compiler.java;

import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import java.io.File;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.annotation.processing.Processor;
import javax.lang.model.util.Elements;
import javax.tools.JavaCompiler;

/**
 * Stands in for the one class that Gradle's published API jar lacks: tells which classes each source made, as incremental compilation wants to
 * know, and nothing of constants.
 */
public class IncrementalCompileTask implements JavaCompiler.CompilationTask {
  private final JavacTask task;
  private final Function<File, Optional<String>> relativize;
  private final Consumer<Map<String, Set<String>>> done;

  public IncrementalCompileTask(
      JavaCompiler.CompilationTask task,
      Function<File, Optional<String>> relativize,
      Consumer<String> backup,
      Consumer<Map<String, Set<String>>> done,
      BiConsumer<String, String> published,
      BiConsumer<String, String> internal) {
    this.task = (JavacTask) task;
    this.relativize = relativize;
    this.done = done;
  }

  @Override
  public void addModules(Iterable<String> modules) {
    task.addModules(modules);
  }

  @Override
  public void setProcessors(Iterable<? extends Processor> processors) {
    task.setProcessors(processors);
  }

  @Override
  public void setLocale(Locale locale) {
    task.setLocale(locale);
  }

  @Override
  public Boolean call() {
    final Map<String, Set<String>> made = new HashMap<>();
    final Elements elements = task.getElements();
    task.addTaskListener(
        new TaskListener() {
          @Override
          public void finished(TaskEvent event) {
            boolean isClass = event.getKind() == TaskEvent.Kind.GENERATE && event.getTypeElement() != null;
            if (isClass && event.getSourceFile() != null) {
              Optional<String> source = relativize.apply(new File(event.getSourceFile().getName()));
              String name = elements.getBinaryName(event.getTypeElement()).toString();
              source.ifPresent(path -> made.computeIfAbsent(path, p -> new HashSet<>()).add(name));
            }
          }
        });
    try {
      return task.call();
    } finally {
      done.accept(made);
    }
  }
}
