package insync.bridge;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Accepts the bridge's connections within bounds of number, time and memory. py4j has none: it reads a line of any length
 * before it checks the token, waits for it forever, and starts a thread for each connection.
 */
final class BoundedServerSocket extends ServerSocket {
    /** The most connections at a time; a further one is closed at once. */
    static final int MOST = 32;
    /** The time in which a client must send its token, milliseconds. */
    static final int TOKEN_WITHIN_MS = 5_000;
    /** The command "A" and the token, each a line. */
    static final int TOKEN_LINES = 2;
    /** The longest line before the token is complete, bytes. */
    static final int TOKEN_BYTES = 256;
    /** The longest line of a call, bytes. */
    static final int LINE_BYTES = 64 << 10;
    private static final long NANOS_PER_MS = 1_000_000L;

    private final AtomicInteger open = new AtomicInteger();
    private final LongAdder refused;

    /** @param refused counts the connections that exceed a bound */
    BoundedServerSocket(LongAdder refused) throws IOException {
        this.refused = refused;
    }

    @Override
    public Socket accept() throws IOException {
        while (true) {
            Bounded socket = new Bounded();
            implAccept(socket);
            if (open.incrementAndGet() <= MOST) {
                return socket;
            }
            refused.increment();
            socket.close();
        }
    }

    private final class Bounded extends Socket {
        private final AtomicBoolean closed = new AtomicBoolean();
        private InputStream lines;

        @Override
        public synchronized InputStream getInputStream() throws IOException {
            if (lines == null) {
                lines = new Lines(this, super.getInputStream(), refused);
            }
            return lines;
        }

        @Override
        public void close() throws IOException {
            if (closed.compareAndSet(false, true)) {
                open.decrementAndGet();
            }
            super.close();
        }
    }

    /** Ends the connection when a line is too long or the token does not come in time. */
    private static final class Lines extends FilterInputStream {
        private final Socket socket;
        private final LongAdder refused;
        private final long untilNanos = System.nanoTime() + TOKEN_WITHIN_MS * NANOS_PER_MS;
        private int complete;
        private int length;

        Lines(Socket socket, InputStream in, LongAdder refused) {
            super(in);
            this.socket = socket;
            this.refused = refused;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int from, int most) throws IOException {
            boolean waits = complete < TOKEN_LINES;
            try {
                if (waits) {
                    socket.setSoTimeout(leftMs());
                }
                int count = super.read(into, from, most);
                for (int i = from; i < from + count; i++) {
                    accept(into[i]);
                }
                if (waits && complete >= TOKEN_LINES) {
                    socket.setSoTimeout(0);
                }
                return count;
            } catch (SocketTimeoutException late) {
                refused.increment();
                throw late;
            }
        }

        private int leftMs() throws SocketTimeoutException {
            long left = (untilNanos - System.nanoTime()) / NANOS_PER_MS;
            if (left <= 0) {
                throw new SocketTimeoutException("no token within " + TOKEN_WITHIN_MS + " ms");
            }
            return (int) left;
        }

        private void accept(byte read) throws IOException {
            if (read == '\n') {
                complete++;
                length = 0;
            } else if (++length > (complete < TOKEN_LINES ? TOKEN_BYTES : LINE_BYTES)) {
                refused.increment();
                throw new IOException("a line of more than " + length + " bytes");
            }
        }
    }
}
