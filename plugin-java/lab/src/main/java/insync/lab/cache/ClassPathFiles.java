package insync.lab.cache;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/** Identifies the files of the class path by what the file system says of them. To open all of Kafka's jars costs 70 ms of CPU time. */
public final class ClassPathFiles {
    /** What is said of a class path that files alone do not identify. */
    public static final String UNKNOWN = "";

    private ClassPathFiles() { }

    /**
     * @param classPath as in {@code java.class.path}
     * @return a text that is another one after any change of a file; {@link #UNKNOWN} if the path has more than files, or the file
     *     system does not tell when a file was changed
     */
    public static String stamp(String classPath) {
        StringBuilder all = new StringBuilder();
        // An empty element, also at the end, is the working directory.
        for (String each : classPath.split(File.pathSeparator, -1)) {
            try {
                Path file = Paths.get(each);
                // The time of change, unlike that of modification, cannot be set.
                TreeMap<String, Object> facts = new TreeMap<>(Files.readAttributes(file, "unix:size,ctime,ino,dev,isRegularFile"));
                if (!Boolean.TRUE.equals(facts.get("isRegularFile"))) {
                    return UNKNOWN;
                }
                all.append(file).append(facts).append('\n');
            } catch (NoSuchFileException absent) {
                all.append(each).append('\n');
            } catch (IOException | RuntimeException unreadable) {
                return UNKNOWN;
            }
        }
        return all.toString();
    }

    /** Returns whether every file is a jar that names no further files in its manifest, which {@link #stamp} does not see. */
    static boolean areAll(String classPath) {
        try {
            for (String each : classPath.split(File.pathSeparator, -1)) {
                if (Files.exists(Paths.get(each)) && namesOthers(each)) {
                    return false;
                }
            }
            return true;
        } catch (IOException | RuntimeException noJar) {
            return false;
        }
    }

    private static boolean namesOthers(String jar) throws IOException {
        try (JarFile opened = new JarFile(jar)) {
            Manifest manifest = opened.getManifest();
            return manifest != null && manifest.getMainAttributes().getValue("Class-Path") != null;
        }
    }
}
