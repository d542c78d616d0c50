package insync.bridge;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/**
 * Writes the file by which a client finds the bridge: a JSON object (api_version, broker, host, port, token, pid),
 * renamed into place, and readable only by its owner because it contains the token.
 */
final class ConnectionFile {

    private ConnectionFile() { }

    /** @throws IOException if the file cannot be written or renamed into place */
    static void write(Path file, Map<String, Object> fields) throws IOException {
        Set<PosixFilePermission> ownerOnly = PosixFilePermissions.fromString("rw-------");
        // The mode is set when the file is created, so that others can never read the token.
        Path partial = Files.createTempFile(file.toAbsolutePath().getParent(), "." + file.getFileName(), ".tmp",
            PosixFilePermissions.asFileAttribute(ownerOnly));
        try {
            Files.write(partial, Json.of(fields).getBytes(StandardCharsets.UTF_8), StandardOpenOption.WRITE);
            Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /** Removes a bridge's file, unless another bridge has replaced it; an error leaves it. */
    static void remove(Path file, String token) {
        try {
            if (Files.readString(file).contains(token)) {
                Files.delete(file);
            }
        } catch (IOException gone) {
            // The JVM ends. A client finds out from the file's pid that there is no bridge.
            return;
        }
    }
}
