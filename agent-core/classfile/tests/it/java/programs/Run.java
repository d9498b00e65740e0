import java.util.function.IntUnaryOperator;

/** Calls the functions of `Switches` with what takes each branch. */
final class Run {
    interface Lookup {
        String get(String s, int n);
    }

    static void all(IntUnaryOperator table, Lookup lookup) {
        for (int n = -80; n < 910; n += 7) {
            System.out.println(table.applyAsInt(n));
        }
        for (String s : new String[] {"a", "Aa", "BB", "c"}) {
            try {
                System.out.println(lookup.get(s, 3));
            } catch (IllegalArgumentException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
