package insync.broker;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.network.TransportLayer;
import org.mockito.Answers;
import org.mockito.Mockito;

/** The leader's end of a follower's socket; a test sets how many bytes it takes. What is not here answers as a mock does. */
abstract class FakeSocket implements TransportLayer {
    private long room;
    private boolean connected = true;
    private CountDownLatch inTransfer;
    private CountDownLatch mayLeave;

    static FakeSocket open() {
        return Mockito.mock(FakeSocket.class,
            Mockito.withSettings().useConstructor().defaultAnswer(Answers.CALLS_REAL_METHODS).stubOnly());
    }

    /** Sets how many more bytes it takes. */
    void room(long bytes) {
        room = bytes;
    }

    /** Makes the next file-to-socket transfer block until {@link #leave}. */
    void stall() {
        inTransfer = new CountDownLatch(1);
        mayLeave = new CountDownLatch(1);
    }

    /** Waits until a thread hangs in the transfer. */
    void awaitTransfer() throws InterruptedException {
        inTransfer.await();
    }

    void leave() {
        mayLeave.countDown();
    }

    @Override
    public long transferFrom(FileChannel file, long position, long count) {
        if (mayLeave != null) {
            hang();
        }
        return take(count);
    }

    private void hang() {
        inTransfer.countDown();
        try {
            mayLeave.await();
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
        mayLeave = null;
    }

    @Override
    public int write(ByteBuffer source) {
        int taken = (int) take(source.remaining());
        source.position(source.position() + taken);
        return taken;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        long taken = 0;
        for (int i = offset; i < offset + length; i++) {
            taken += write(sources[i]);
        }
        return taken;
    }

    @Override
    public long write(ByteBuffer[] sources) {
        return write(sources, 0, sources.length);
    }

    private long take(long bytes) {
        long taken = Math.min(bytes, room);
        room -= taken;
        return taken;
    }

    @Override
    public void disconnect() {
        connected = false;
    }

    @Override
    public boolean isConnected() {
        return connected;
    }

    @Override
    public boolean isOpen() {
        return connected;
    }

    @Override
    public void close() {
        connected = false;
    }

    @Override
    public boolean ready() {
        return true;
    }

    @Override
    public boolean finishConnect() {
        return true;
    }
}
