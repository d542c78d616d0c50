package insync.agent.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.Adapter;
import insync.agent.v4_2.BrokerAdapter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.ClassReader;
import org.junit.jupiter.api.Test;

/**
 * The weave check reads each class of the agent that runs in a broker and refers to the broker's classes. An adapter lists
 * its classes by hand, because older versions never run some of them; the newest version runs all.
 */
public class OwnClassesTest {
    private static final int CLASS_CONSTANT = 7;

    protected Adapter adapter() throws Exception {
        return new BrokerAdapter();
    }

    @Test
    void everyClassThatAHookReachesIsChecked() throws Exception {
        Adapter adapter = adapter();
        Set<String> checked = new TreeSet<>();
        adapter.allOwnClasses().forEach(own -> addWithNested(own.getName(), checked));
        adapter.allHooks().forEach(hook -> addWithNested(hook.advice().getName(), checked));
        List<String> missed = new ArrayList<>();
        for (String reached : reachable(adapter)) {
            if (!checked.contains(reached) && refersToTheBroker(reached)) {
                missed.add(reached);
            }
        }
        assertEquals(List.of(), missed);
        assertTrue(checked.size() > 80, "a check of nothing finds nothing: " + checked.size());
    }

    /** Returns the names of the agent's classes that the hooks reach. */
    private Set<String> reachable(Adapter adapter) {
        Deque<String> open = new ArrayDeque<>();
        adapter.allHooks().forEach(hook -> open.add(hook.advice().getName()));
        Set<String> found = new TreeSet<>();
        while (!open.isEmpty()) {
            String name = open.pop();
            // What only describes hooks runs before any class of the broker is loaded.
            if (found.add(name) && !isOfWeaving(name)) {
                referred(name).stream().filter(each -> each.startsWith("insync.agent.") || each.startsWith("insync.lab.")).forEach(open::add);
            }
        }
        found.removeIf(OwnClassesTest::isOfWeaving);
        return found;
    }

    private static boolean isOfWeaving(String name) {
        try {
            Class<?> type = Class.forName(name, false, OwnClassesTest.class.getClassLoader());
            return TypeHooks.class.isAssignableFrom(type) || name.startsWith("insync.agent.weave.");
        } catch (ClassNotFoundException | LinkageError gone) {
            throw new AssertionError(gone);
        }
    }

    private static void addWithNested(String name, Set<String> to) {
        SymbolCollector used = read(name);
        if (to.add(name)) {
            List.copyOf(used.nested()).forEach(nested -> addWithNested(nested, to));
        }
    }

    private static boolean refersToTheBroker(String name) {
        return !read(name).symbols().isEmpty();
    }

    private static SymbolCollector read(String name) {
        SymbolCollector used = new SymbolCollector();
        reader(name).accept(used, ClassReader.SKIP_DEBUG);
        return used;
    }

    /** Returns the names of the classes in a class's constant pool. */
    private static List<String> referred(String name) {
        ClassReader reader = reader(name);
        List<String> names = new ArrayList<>();
        char[] buffer = new char[reader.getMaxStringLength()];
        for (int i = 1; i < reader.getItemCount(); i++) {
            int at = reader.getItem(i);
            if (at > 0 && reader.readByte(at - 1) == CLASS_CONSTANT) {
                names.add(reader.readUTF8(at, buffer).replace('/', '.'));
            }
        }
        return names;
    }

    private static ClassReader reader(String name) {
        try {
            return new ClassReader(ClassFileLocator.ForClassLoader.ofSystemLoader().locate(name).resolve());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
