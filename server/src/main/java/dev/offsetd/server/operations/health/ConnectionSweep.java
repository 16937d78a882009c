package dev.offsetd.server.operations.health;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.coyote.Processor;
import org.apache.coyote.Request;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketWrapperBase;

/**
 * Ends connections that wait for a client, so that other clients get one. Tomcat limits the time between two reads; a client that sends
 * a byte of a header now and then (slowloris) holds its connection for ever, and the acceptor stops when all are held.
 *
 * <ul>
 *   <li>The head of a request has {@link #HEAD_TIME} from its first byte to its last.
 *   <li>When an eighth of the connections or less is free, those that have waited longest for a request end.
 * </ul>
 *
 * <p>A connection is closed under its lock, which Tomcat's threads hold while they serve a request, so no request is cut off.
 */
final class ConnectionSweep implements Runnable {

    static final Duration HEAD_TIME = Duration.ofSeconds(20);
    private static final Duration INTERVAL = Duration.ofMillis(250);
    private static final int SHARE_TO_KEEP_FREE = 8;

    /** Buffers of a connection whose request head is incomplete; measured with 7,500 of them. */
    private static final long CONNECTION_BYTES = 96 << 10;

    /** Share of the heap that all connections may take. */
    private static final int HEAP_SHARE = 4;

    private final NioEndpoint endpoint;
    private final Duration headTime;

    /** A connection on which the server waits for a request, since this time of {@link System#nanoTime}. */
    private record WaitingConnection(SocketWrapperBase<NioChannel> connection, long since, boolean head) {}

    /** @param headTime limit for the head of a request */
    ConnectionSweep(NioEndpoint endpoint, Duration headTime) {
        this.endpoint = endpoint;
        this.headTime = headTime;
    }

    /**
     * Returns the number of connections that heap and file descriptors permit.
     *
     * @param configured the configured limit; negative for none
     */
    static int maxConnections(int configured) {
        long most = Runtime.getRuntime().maxMemory() / HEAP_SHARE / CONNECTION_BYTES;
        if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.UnixOperatingSystemMXBean unix) {
            // The other half is for files, upstreams and the database.
            most = Math.min(most, unix.getMaxFileDescriptorCount() / 2);
        }
        return (int) (configured < 0 ? Math.min(most, Integer.MAX_VALUE) : Math.min(most, configured));
    }

    @Override
    public void run() {
        try {
            while (true) {
                Thread.sleep(INTERVAL);
                sweep();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void sweep() {
        long now = System.nanoTime();
        List<WaitingConnection> waiting = new ArrayList<>();
        for (SocketWrapperBase<NioChannel> connection : endpoint.getConnections()) {
            // A thread that serves a request holds the lock, also while it waits for the body.
            if (connection instanceof NioEndpoint.NioSocketWrapper socket
                    && connection.getLock().tryLock()) {
                try {
                    OptionalLong head = headSince(connection);
                    boolean isIdle = connection.getCurrentProcessor() == null;
                    if (head.isPresent() && now - head.getAsLong() > headTime.toNanos()) {
                        connection.close();
                    } else if (head.isPresent() || isIdle) {
                        long since = head.orElseGet(() ->
                                now - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis() - socket.getLastRead()));
                        waiting.add(new WaitingConnection(connection, since, head.isPresent()));
                    }
                } finally {
                    connection.getLock().unlock();
                }
            }
        }
        int max = endpoint.getMaxConnections();
        long surplus = endpoint.getConnectionCount() - (max - max / SHARE_TO_KEEP_FREE);
        if (surplus > 0) {
            waiting.stream()
                    .sorted(Comparator.comparingLong(each -> each.since() - now))
                    .limit(surplus)
                    .forEach(ConnectionSweep::closeIfStillWaiting);
        }
    }

    private static void closeIfStillWaiting(WaitingConnection waiting) {
        if (waiting.connection().getLock().tryLock()) {
            try {
                if (headSince(waiting.connection()).isPresent() == waiting.head()) {
                    waiting.connection().close();
                }
            } finally {
                waiting.connection().getLock().unlock();
            }
        }
    }

    /** Returns when the first byte of a request arrived whose head is incomplete. */
    private static OptionalLong headSince(SocketWrapperBase<NioChannel> connection) {
        // Tomcat keeps the processor of a connection between two reads of a head, and for asynchronous requests.
        if (!(connection.getCurrentProcessor() instanceof Processor processor) || processor.isAsync()) {
            return OptionalLong.empty();
        }
        Request request = processor.getRequest();
        return request == null || request.getStartTimeNanos() < 0
                ? OptionalLong.empty()
                : OptionalLong.of(request.getStartTimeNanos());
    }
}
