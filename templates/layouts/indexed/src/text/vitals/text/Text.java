package vitals.text;

/** How a vital is written. */
public final class Text {
  private Text() {}

  public static String line(String name, long value) {
    StringBuilder line = new StringBuilder("vitals: ").append(name);
    while (line.length() < 22) {
      line.append(' ');
    }
    return line.append(value).toString();
  }
}
