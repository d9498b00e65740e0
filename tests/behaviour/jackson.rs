//! Objects to JSON and back.

use crate::counting::{Prepared, Program, behaves};
use crate::harness::{Jdk, Test, libraries};

const ROUND_TRIP: &str = r#"import com.fasterxml.jackson.annotation.*;
import com.fasterxml.jackson.databind.*;
import java.util.*;
public class RoundTrip {
    public enum Colour { RED, @JsonProperty("blau") BLUE }
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) @JsonSubTypes({@JsonSubTypes.Type(value = Box.class, name = "box"), @JsonSubTypes.Type(value = Ball.class, name = "ball")})
    public static abstract class Shape { public Colour colour; }
    public static class Box extends Shape { public int[] sides; public Map<String, List<Double>> notes = new TreeMap<>(); }
    public static class Ball extends Shape {
        private final double radius;
        @JsonCreator public Ball(@JsonProperty("radius") double radius) { this.radius = radius; }
        public double getRadius() { return radius; }
    }
    public static class Order {
        public long id; public String text; public Optional<String> none; public List<Shape> shapes = new ArrayList<>();
        @JsonIgnore public Object hidden = "hidden"; public byte[] bytes; public Date when;
    }
    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
        String last = "";
        for (int round = 0; round < 200; round++) {
            Order order = new Order();
            order.id = 1L << 40 | round; order.text = "é\u0001\"\\ \uD83D\uDE00 " + round; order.bytes = new byte[] {1, 2, (byte) round};
            order.when = new Date(round * 1000L);
            Box box = new Box(); box.colour = Colour.BLUE; box.sides = new int[] {round, -2, 3};
            box.notes.put("n" + round, Arrays.asList(1.5, 2e300 / (round + 1), Double.MIN_VALUE));
            Ball ball = new Ball(round / 3.0); ball.colour = Colour.RED;
            order.shapes.add(box); order.shapes.add(ball);
            String text = mapper.writeValueAsString(order);
            Order back = mapper.readValue(text, Order.class);
            if (!mapper.writeValueAsString(back).equals(text)) throw new AssertionError(text);
            JsonNode tree = mapper.readTree(text);
            if (!mapper.writeValueAsString(mapper.treeToValue(tree, Order.class)).equals(text)) throw new AssertionError(text);
            for (String bad : new String[] {"{\"id\": \"x\"}", "{\"unknown\": 1}", text.substring(0, text.length() / 2), "{\"shapes\": [{\"@type\": \"cone\"}]}"}) {
                try { mapper.readValue(bad, Order.class); System.out.println("accepted"); }
                catch (com.fasterxml.jackson.core.JsonProcessingException e) { last = e.getOriginalMessage(); }
            }
            if (round % 50 == 0) System.out.println(text);
        }
        System.out.println(last);
    }
}
"#;

static PROGRAM: Program = Program {
    name: "Jackson",
    main: "RoundTrip",
    classes: r"(com\.fasterxml\.jackson\..*|RoundTrip.*)",
    least: 200_000,
    logs: false,
    throws: true,
};

fn prepare(test: &Test, _: &Jdk) -> Prepared {
    let jars = libraries("jackson", &["com.fasterxml.jackson.core:jackson-databind:2.18.2"]);
    let path = std::env::join_paths(&jars).expect("a class path").into_string().expect("UTF-8");
    let options = ["--release", "8", "-Xlint:-options", "-cp", &path];
    let classes = test.compile_with(&[("RoundTrip.java", ROUND_TRIP)], &options);
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
