package insync.lab.events;

import insync.lab.events.EventFileLog.EventFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Appends to a file, which becomes FILE.1 when it would get too large, and FILE.1 becomes FILE.2. The oldest one is deleted, so
 * that the size of all is bounded. A line is never divided. Used by one thread.
 */
final class RotatingFile implements EventFile {
    private final Path file;
    private final long maxBytes;
    private final int files;
    private FileChannel channel;
    private long size;

    /**
     * Opens the file, which is created if it does not exist.
     *
     * @param maxBytes the largest size of a file; a longer line has a file of its own
     * @param files how many files there are at most, with the one that is written
     * @throws IOException if it cannot be opened for appending, or exists and is not a regular file: to open a pipe would
     *     wait until another process reads it
     */
    RotatingFile(Path file, long maxBytes, int files) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new FileSystemException(file.toString(), null, "not a regular file");
        }
        this.file = file;
        this.maxBytes = maxBytes;
        this.files = files;
        this.channel = open();
        this.size = channel.size();
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Override
    public void lineBegins(int bytes) {
        if (size > 0 && size + bytes > maxBytes) {
            // Whatever happens, the next attempt is after as many bytes again: a line is worth more than the bound.
            size = 0;
            rotate();
        }
    }

    private void rotate() {
        try {
            for (int i = files - 1; i > 1; i--) {
                if (Files.exists(part(i - 1))) {
                    Files.move(part(i - 1), part(i), StandardCopyOption.REPLACE_EXISTING);
                }
            }
            Files.move(file, part(1), StandardCopyOption.REPLACE_EXISTING);
            FileChannel full = channel;
            channel = open();
            full.close();
        } catch (IOException failed) {
            System.err.println("[insync] events file " + file + " cannot be rotated, its present part gets larger: " + failed);
        }
    }

    private Path part(int number) {
        return file.resolveSibling(file.getFileName() + "." + number);
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        int written = channel.write(bytes);
        size += written;
        return written;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
