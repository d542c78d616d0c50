package insync.lab.events;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;

/** The file behind an event log. */
interface EventFile extends WritableByteChannel {

    /**
     * Notes that the next write begins a line.
     *
     * @param bytes the length of the line
     */
    void lineBegins(int bytes) throws IOException;
}
