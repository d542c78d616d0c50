package insync.agent.weave;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.Adapter;
import insync.lab.cache.ClassPathFiles;
import insync.lab.cache.WovenCache;
import insync.lab.cache.WovenFile;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.implementation.FixedValue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start uses the woven classes of an earlier one only if nothing that they depend on has changed. */
class WovenCacheTest {
    private static final String PARTITION = "kafka.cluster.Partition";
    private static final String GONE = "kafka.cluster.Gone";
    private static final ClassFileLocator BROKER = ClassFileLocator.ForClassLoader.ofSystemLoader();
    private static final String PLAIN = WeaverTest.Plain.class.getName();
    private static final byte[] ORIGINAL = ClassFileLocator.ForClassLoader.read(WeaverTest.Plain.class);
    private static final byte[] WOVEN = {1, 2, 3};

    @TempDir
    Path folder;
    private Path jar;
    private WovenCache cache;

    @BeforeEach
    void save() throws IOException {
        jar = Files.writeString(folder.resolve("agent.jar"), "one build");
        cache = WovenCache.in(folder.resolve("made/at/first"), List.of(jar), "4.3.1");
        assertNull(cache.load());
        assertTrue(save(cache, BROKER));
    }

    /** Saves what was made of class files on which it depends. */
    private static boolean save(WovenCache cache, ClassFileLocator files) throws IOException {
        ClassFileLocator recorded = cache.recorded(files);
        recorded.locate(PARTITION);
        recorded.locate(GONE);
        return cache.save(new WovenBroker(List.of("A.b", "C.<init>"), List.of("C.<init>"), Map.of(PLAIN, ORIGINAL), Map.of(PLAIN, WOVEN)));
    }

    private static ClassFileLocator with(String name) {
        return new ClassFileLocator.Compound(ClassFileLocator.Simple.of(name, ORIGINAL), BROKER);
    }

    @Test
    void theNextStartGetsWhatWasSaved() throws Exception {
        WovenBroker loaded = cache.load();
        assertEquals(List.of("A.b", "C.<init>"), loaded.methods);
        assertEquals(List.of("C.<init>"), loaded.unknown);
        FakeInstrumentation jvm = new FakeInstrumentation();
        jvm.loads = Map.of(PLAIN, ORIGINAL);
        assertEquals(List.of(), loaded.install(null, jvm.proxy()));
        assertArrayEquals(WOVEN, jvm.given.get(PLAIN));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(cache.file)));
        try (var files = Files.list(cache.file.getParent())) {
            assertEquals(1, files.count(), "no temporary file is left");
        }
    }

    @Test
    void aClassThatAnEarlierAgentChangesIsWovenAnew() throws Exception {
        byte[] changed = new ByteBuddy().redefine(WeaverTest.Plain.class)
            .defineMethod("ofAnotherAgent", int.class, Visibility.PUBLIC).intercept(FixedValue.value(3)).make().getBytes();
        Adapter adapter = new WeaverTest.OneType(WeaverTest.oneHook());
        FakeInstrumentation jvm = new FakeInstrumentation();
        jvm.loads = Map.of(PLAIN, changed);
        assertEquals(List.of(), cache.load().install(new Weaver(adapter)::makeFrom, jvm.proxy()));
        byte[] given = jvm.given.get(PLAIN);
        assertFalse(Arrays.equals(WOVEN, given));
        String text = new String(given, StandardCharsets.ISO_8859_1);
        assertTrue(text.contains("ofAnotherAgent"), "its change stays");
        assertTrue(text.contains("WeaverTest$Counted"), "and the hook is there");
    }

    @Test
    void aClassThatIsLoadedAlreadyIsAProblem() throws Exception {
        FakeInstrumentation jvm = new FakeInstrumentation();
        jvm.loaded = new Class<?>[] {WeaverTest.Plain.class};
        assertEquals(1, cache.load().install(null, jvm.proxy()).size());
        assertEquals(List.of(), jvm.transformers);
    }

    @Test
    void aDamagedFileIsIgnoredAndWrittenAgain() throws Exception {
        byte[] whole = Files.readAllBytes(cache.file);
        for (int at = 0; at < whole.length; at += 7) {
            byte[] changed = whole.clone();
            changed[at] ^= 0x10;
            Files.write(cache.file, changed);
            assertNull(cache.load(), "byte " + at);
            Files.write(cache.file, Arrays.copyOf(whole, at));
            assertNull(cache.load(), "cut at " + at);
        }
        Files.write(cache.file, Arrays.copyOf(whole, whole.length + 1));
        assertNull(cache.load(), "longer");
        assertTrue(save(cache, BROKER));
        assertNotNull(cache.load());
    }

    @Test
    void aFileThatOthersMayHaveWrittenIsIgnored() throws Exception {
        Files.setPosixFilePermissions(cache.file, PosixFilePermissions.fromString("rw--w----"));
        assertNull(cache.load(), "writable by the group");
        Files.setPosixFilePermissions(cache.file, PosixFilePermissions.fromString("rw-------"));
        assertNotNull(cache.load());
        Path elsewhere = Files.move(cache.file, folder.resolve("elsewhere"));
        Files.createSymbolicLink(cache.file, elsewhere);
        assertNull(cache.load(), "a link");
        Files.delete(cache.file);
        Files.createDirectory(cache.file);
        assertNull(cache.load(), "a folder");
    }

    /** There another file could be put in the place of one that was verified. */
    @Test
    void aFolderThatOthersMayWriteIsNotUsed() throws Exception {
        Path shared = cache.file.getParent();
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwx---"));
        assertNull(cache.load());
        assertFalse(save(cache, BROKER));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-x---"));
        assertNotNull(cache.load());
    }

    @Test
    void otherClassFilesOnTheClassPathDoNotFit() throws Exception {
        assertTrue(save(cache, with(PARTITION)));
        assertNull(cache.load(), "changed");
        assertTrue(save(cache, ClassFileLocator.NoOp.INSTANCE));
        assertNull(cache.load(), "new");
        assertTrue(save(cache, with(GONE)));
        assertNull(cache.load(), "gone");
    }

    @Test
    void aClassPathOfUnchangedFilesIsNotRead() throws Exception {
        Path kafka = jar("kafka.jar", null);
        WovenCache first = ofJars(kafka);
        assertTrue(save(first, with(PARTITION)));
        assertNotNull(ofJars(kafka).load(), "although a digest does not fit");
        Files.setLastModifiedTime(kafka, Files.getLastModifiedTime(kafka));
        assertNull(ofJars(kafka).load(), "it was touched, and has its old time");
    }

    @Test
    void filesThatWereTouchedAreReadOnce() throws Exception {
        Path kafka = jar("kafka.jar", null);
        assertTrue(save(ofJars(kafka), BROKER));
        byte[] before = Files.readAllBytes(ofJars(kafka).file);
        Files.setLastModifiedTime(kafka, Files.getLastModifiedTime(kafka));
        assertNotNull(ofJars(kafka).load());
        byte[] after = Files.readAllBytes(ofJars(kafka).file);
        assertFalse(Arrays.equals(before, after), "it now has what the file system says of the touched file");
        assertNotNull(ofJars(kafka).load());
        assertArrayEquals(after, Files.readAllBytes(ofJars(kafka).file));
    }

    @Test
    void aJarThatNamesOthersIsNotAllOfTheClassPath() throws Exception {
        Path kafka = jar("kafka.jar", "elsewhere.jar");
        assertTrue(save(ofJars(kafka), with(PARTITION)));
        assertNull(ofJars(kafka).load(), "its classes were read");
        assertTrue(save(ofJars(kafka), BROKER));
        assertNotNull(ofJars(kafka).load());
    }

    @Test
    void filesAreIdentifiedAndFoldersAreNot() throws Exception {
        Path kafka = jar("kafka.jar", null);
        Path absent = folder.resolve("absent.jar");
        String stamp = ClassPathFiles.stamp(kafka + File.pathSeparator + absent);
        assertNotEquals(ClassPathFiles.UNKNOWN, stamp);
        jar("absent.jar", null);
        assertNotEquals(stamp, ClassPathFiles.stamp(kafka + File.pathSeparator + absent));
        assertEquals(ClassPathFiles.UNKNOWN, ClassPathFiles.stamp(kafka + File.pathSeparator + folder));
        assertEquals(ClassPathFiles.UNKNOWN, ClassPathFiles.stamp(kafka + File.pathSeparator), "the working directory");
    }

    @Test
    void aFileThatIsNoJarDoesNotPreventTheCache() throws Exception {
        Path text = Files.writeString(folder.resolve("notes.txt"), "no jar");
        assertTrue(save(ofJars(text), BROKER));
        assertNotNull(ofJars(text).load());
    }

    private WovenCache ofJars(Path classPath) throws IOException {
        return WovenCache.of(folder.resolve("of-jars"), List.of(jar), classPath.toString(), "4.3.1");
    }

    private Path jar(String name, String others) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        if (others != null) {
            manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, others);
        }
        Path made = folder.resolve(name);
        new JarOutputStream(Files.newOutputStream(made), manifest).close();
        return made;
    }

    @Test
    void anotherAgentOrAnotherFactHasAnotherFile() throws Exception {
        Path parent = cache.file.getParent();
        assertEquals(cache.file, WovenCache.in(parent, List.of(jar), "4.3.1").file);
        assertNotEquals(cache.file, WovenCache.in(parent, List.of(jar), "4.3.2").file);
        Files.writeString(jar, "two build");
        assertNotEquals(cache.file, WovenCache.in(parent, List.of(jar), "4.3.1").file);
    }

    @Test
    void aFolderKeepsTheNewestFiles() throws Exception {
        Path files = cache.file.getParent();
        Files.writeString(files.resolve("another's"), "stays");
        for (int i = 0; i < 200; i++) {
            Path old = Files.createFile(files.resolve("woven-" + i + (i % 2 == 0 ? ".bin" : ".tmp")));
            Files.setLastModifiedTime(old, FileTime.fromMillis(1_000 * i));
        }
        assertTrue(save(WovenCache.in(files, List.of(jar), "4.3.2"), BROKER));
        assertTrue(Files.exists(files.resolve("another's")));
        assertNotNull(cache.load());
        assertTrue(Files.exists(files.resolve("woven-199.tmp")), "another broker may be writing it");
        try (var left = Files.list(files)) {
            assertEquals(1 + WovenCache.MOST, left.count());
        }
    }

    @Test
    void aFolderThatCannotBeWrittenIsNoError() throws Exception {
        assertFalse(save(WovenCache.in(jar, List.of(jar), "4.3.1"), BROKER));
    }

    @Test
    void aJarsDirectoryHasTheDigestOfTheBytes() throws Exception {
        byte[] bytes = BROKER.locate(PARTITION).resolve();
        assertEquals(WovenFile.digest(bytes), WovenFile.onClassPath(PARTITION));
        assertEquals(WovenFile.digest(ORIGINAL), WovenFile.onClassPath(PLAIN), "and a folder has it, too");
        assertEquals(WovenFile.ABSENT, WovenFile.onClassPath(GONE));
    }
}
