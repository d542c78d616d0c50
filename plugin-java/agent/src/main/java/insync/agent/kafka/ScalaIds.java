package insync.agent.kafka;

import java.util.ArrayList;
import java.util.List;
import scala.collection.Iterable;
import scala.collection.Iterator;

/** Converts broker ids from Scala's collections. */
public final class ScalaIds {

    private ScalaIds() { }

    public static List<Integer> list(Iterable<Object> ids) {
        List<Integer> all = new ArrayList<>();
        Iterator<Object> each = ids.iterator();
        while (each.hasNext()) {
            all.add((Integer) each.next());
        }
        return all;
    }
}
