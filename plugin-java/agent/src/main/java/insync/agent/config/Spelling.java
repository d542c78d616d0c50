package insync.agent.config;

import java.util.Collection;

/** Finds the config that a user meant by a misspelled name. */
final class Spelling {
    /** A name of n letters is taken for another if at most n / this many letters differ, and at least two may. */
    private static final int LETTERS_PER_ERROR = 7;

    private Spelling() { }

    /** Returns the known name that is most like a given one, or null if none is like it. */
    static String nearest(String given, Collection<String> known) {
        String nearest = null;
        int least = Math.max(2, given.length() / LETTERS_PER_ERROR) + 1;
        for (String name : known) {
            int errors = distance(given, name);
            if (errors < least) {
                least = errors;
                nearest = name;
            }
        }
        return nearest;
    }

    /** Returns how many letters to insert, remove or replace (Levenshtein's distance). */
    static int distance(String from, String to) {
        int[] before = new int[to.length() + 1];
        for (int j = 0; j < before.length; j++) {
            before[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] row = new int[before.length];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = before[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(before[j], row[j - 1]) + 1);
            }
            before = row;
        }
        return before[to.length()];
    }
}
