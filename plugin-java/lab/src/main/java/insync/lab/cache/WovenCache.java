package insync.lab.cache;

import insync.agent.Extension;
import insync.agent.weave.WovenBroker;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.bytebuddy.dynamic.ClassFileLocator;

/**
 * Keeps the woven classes of a broker in a file, so that the next start needs neither ByteBuddy nor the checks. The file's name is a
 * digest of the agent, the JVM, the class path and the options; the file lists the class files that were read, with their digests.
 * A file that does not fit is written again; one that cannot be trusted is also named on standard error.
 */
public final class WovenCache implements Extension.Store {
    private static final String PREFIX = "woven-";
    private static final long MAGIC = 0x696e73796e630003L;
    /** Magic number, digest of the rest: it finds damage, and costs far less than SHA-256 in a JVM that has just started. */
    private static final int HEADER = 2 * Long.BYTES;
    /** The most files in a folder, 200 MB. Each build of the agent writes others: one per version of Kafka and options. */
    public static final int MOST = 64;

    /** The file with the woven classes. */
    public final Path file;
    private final String classPath;
    /** What the files of the class path were before anything was read from them. */
    private final String stamp;
    /** The digests of the class files that were read, by class name. */
    private final Map<String, Long> dependsOn = new ConcurrentSkipListMap<>();

    private WovenCache(Path file, String classPath) {
        this.file = file;
        this.classPath = classPath;
        this.stamp = ClassPathFiles.stamp(classPath);
    }

    /**
     * Returns the cache in a folder, which need not exist yet.
     *
     * @param jars the jars of this agent
     * @param facts what else the woven classes depend on
     */
    public static WovenCache in(Path folder, List<Path> jars, String facts) throws IOException {
        return of(folder, jars, System.getProperty("java.class.path"), facts);
    }

    /** The same for another class path than this JVM's. */
    public static WovenCache of(Path folder, List<Path> jars, String classPath, String facts) throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path jar : jars) {
            all.append(Long.toHexString(WovenFile.digest(Files.readAllBytes(jar)))).append('\0');
        }
        for (String property : new String[] {"java.vm.name", "java.vm.version", "java.home"}) {
            all.append(System.getProperty(property)).append('\0');
        }
        all.append(classPath).append('\0').append(facts);
        return new WovenCache(folder.resolve(PREFIX + name(all.toString()) + ".bin"), classPath);
    }

    private static String name(String facts) {
        try {
            ByteBuffer digest = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(facts.getBytes(StandardCharsets.UTF_8)));
            return String.format("%016x%016x", digest.getLong(), digest.getLong());
        } catch (NoSuchAlgorithmException everyJvmHasIt) {
            throw new IllegalStateException(everyJvmHasIt);
        }
    }

    @Override
    public ClassFileLocator recorded(ClassFileLocator files) {
        dependsOn.clear();
        return new ClassFileLocator() {
            @Override
            public Resolution locate(String name) throws IOException {
                Resolution found = files.locate(name);
                if (!isOfJvmOrAgent(name)) {
                    dependsOn.put(name, found.isResolved() ? WovenFile.digest(found.resolve()) : WovenFile.ABSENT);
                }
                return found;
            }

            @Override
            public void close() throws IOException {
                files.close();
            }
        };
    }

    /** Returns whether a class is of the JVM's version or of the agent's jar, which have digests of their own. */
    private static boolean isOfJvmOrAgent(String name) {
        return name.startsWith("java.") || name.startsWith("javax.") || name.startsWith("jdk.") || name.startsWith("insync.");
    }

    @Override
    public WovenBroker load() {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        try {
            verify(file.getParent(), PosixFileAttributes::isDirectory, "folder");
            verify(file, PosixFileAttributes::isRegularFile, "file");
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(payload(Files.readAllBytes(file))));
            String then = text(in);
            boolean identified = !then.equals(ClassPathFiles.UNKNOWN);
            dependsOn.clear();
            WovenBroker saved = WovenFile.of(in, dependsOn);
            if (identified && then.equals(stamp)) {
                return saved;
            }
            if (!WovenFile.fitsClassPath(dependsOn)) {
                return null;
            }
            if (identified) {
                save(saved);
            }
            return saved;
        } catch (IOException | RuntimeException untrusted) {
            System.err.println("[insync] cache " + file + " is not used and will be written again: " + untrusted.getMessage());
            return null;
        }
    }

    /**
     * Verifies that only the broker's user can have written a file, whose classes run in the broker. In a folder that only this user may
     * write, no one else can put another file in its place after that.
     */
    private static void verify(Path path, Predicate<PosixFileAttributes> isKind, String kind) throws IOException {
        PosixFileAttributes facts = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        String user = System.getProperty("user.name");
        boolean shared = facts.permissions().contains(PosixFilePermission.GROUP_WRITE)
            || facts.permissions().contains(PosixFilePermission.OTHERS_WRITE);
        if (!isKind.test(facts) || shared || !facts.owner().equals(
                path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user))) {
            throw new IOException("expected a " + kind + " of " + user + " that no one else may write: " + path);
        }
    }

    private static byte[] payload(byte[] all) throws IOException {
        byte[] payload = Arrays.copyOfRange(all, Math.min(HEADER, all.length), all.length);
        ByteBuffer header = ByteBuffer.wrap(all);
        if (all.length < HEADER || header.getLong() != MAGIC || header.getLong() != WovenFile.digest(payload)) {
            throw new IOException("it is damaged");
        }
        return payload;
    }

    private byte[] toBytes(WovenBroker woven) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            byte[] now = (ClassPathFiles.areAll(classPath) ? stamp : ClassPathFiles.UNKNOWN).getBytes(StandardCharsets.UTF_8);
            out.writeInt(now.length);
            out.write(now);
            WovenFile.write(woven, dependsOn, out);
        }
        return bytes.toByteArray();
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    /** Makes room for one more file; a start that needs a removed one weaves again. Another broker may remove some meanwhile. */
    private void removeOldest() throws IOException {
        try (Stream<Path> all = Files.list(file.getParent())) {
            List<Path> left = all.filter(each -> each.getFileName().toString().startsWith(PREFIX)).collect(Collectors.toList());
            while (left.size() >= MOST) {
                Path oldest = Collections.min(left, Comparator.comparingLong(each -> each.toFile().lastModified()));
                Files.deleteIfExists(oldest);
                left.remove(oldest);
            }
        }
    }

    /** If the file cannot be written, a line says so, and the start goes on. */
    @Override
    public boolean save(WovenBroker woven) {
        try {
            byte[] payload = toBytes(woven);
            if (!Files.isDirectory(file.getParent())) {
                Files.createDirectories(file.getParent(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            verify(file.getParent(), PosixFileAttributes::isDirectory, "folder");
            removeOldest();
            // Readable and writable by this user alone.
            Path made = Files.createTempFile(file.getParent(), PREFIX, ".tmp");
            try {
                Files.write(made, ByteBuffer.allocate(HEADER + payload.length).putLong(MAGIC).putLong(WovenFile.digest(payload)).put(payload).array());
                Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(made);
            }
            return true;
        } catch (IOException | RuntimeException unwritable) {
            System.err.println("[insync] cannot write the cache " + file + ": " + unwritable);
            return false;
        }
    }
}
