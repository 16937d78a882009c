package dev.offsetd.server.operations.health;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's connector with dedicated threads for health checks, and a watchdog that ends the process when the acceptor
 * or poller thread dies. Public because Tomcat creates it by class name.
 */
public final class WatchedHttpProtocol extends Http11NioProtocol {

    public WatchedHttpProtocol() {
        super(new Endpoint());
    }

    /** Returns whether the current thread serves health checks only, and so must not wait for a client. */
    static boolean isHealthThread() {
        return Thread.currentThread() instanceof HealthThread;
    }

    private static final class HealthThread extends Thread {

        HealthThread(Runnable task) {
            super(task, "health");
            setDaemon(true);
        }
    }

    private static final class Endpoint extends NioEndpoint {

        private static final int HEALTH_THREADS = 2;
        private static final int MAX_WAITING = 64;

        private @Nullable ThreadPoolExecutor health;
        private @Nullable Thread watchdog;
        private @Nullable Thread sweep;

        @Override
        public void startInternal() throws Exception {
            setMaxConnections(ConnectionSweep.maxConnections(getMaxConnections()));
            health = new ThreadPoolExecutor(
                    HEALTH_THREADS,
                    HEALTH_THREADS,
                    0,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(MAX_WAITING),
                    HealthThread::new);
            health.prestartAllCoreThreads();
            super.startInternal();
            Thread[] watched = {thread(getName() + "-Acceptor"), thread(getName() + "-Poller")};
            watchdog = Thread.ofPlatform().daemon().name("watchdog").start(() -> watch(watched));
            sweep = Thread.ofPlatform()
                    .daemon()
                    .name("connections")
                    .start(new ConnectionSweep(this, ConnectionSweep.HEAD_TIME));
        }

        @Override
        public void stopInternal() {
            if (watchdog != null) {
                watchdog.interrupt();
            }
            if (sweep != null) {
                sweep.interrupt();
            }
            super.stopInternal();
            if (health != null) {
                health.shutdownNow();
            }
        }

        private static Thread thread(String name) {
            Thread[] all = new Thread[Thread.activeCount() * 2 + 64];
            int count = Thread.enumerate(all);
            return Arrays.stream(all, 0, count)
                    .filter(thread -> thread.getName().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("Tomcat has no thread " + name));
        }

        /** Watches threads without allocating. A connector that stops is paused before its threads end. */
        private void watch(Thread... threads) {
            try {
                while (true) {
                    Thread.sleep(1000);
                    for (Thread thread : threads) {
                        if (!thread.isAlive() && isRunning() && !isPaused()) {
                            FatalErrors.halt("the thread that accepts or polls connections is dead");
                        }
                    }
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }

        /** Passes complete health checks to the dedicated threads. */
        @Override
        public boolean processSocket(SocketWrapperBase<NioChannel> socket, SocketEvent event, boolean dispatch) {
            if (dispatch
                    && event == SocketEvent.OPEN_READ
                    && !isSSLEnabled()
                    && socket.getCurrentProcessor() == null
                    && health != null
                    && HealthRequest.isIn(socket)) {
                try {
                    health.execute(createSocketProcessor(socket, event));
                    return true;
                } catch (RejectedExecutionException tooMany) {
                    return super.processSocket(socket, event, dispatch);
                }
            }
            return super.processSocket(socket, event, dispatch);
        }
    }

    /** First bytes of a readable connection. They stay in its buffer, where the request thread reads them. */
    private static final class HealthRequest {

        private static final List<byte[]> BEGINNINGS = beginnings();
        private static final int LONGEST_BEGINNING =
                BEGINNINGS.stream().mapToInt(bytes -> bytes.length).max().orElseThrow();

        /** Longer requests are served like any other. */
        private static final int MAX_BYTES = 2048;

        private static final String END = "\r\n\r\n";

        /** Headers with which Tomcat may wait for the client. */
        private static final List<String> BODY = List.of("content-length", "transfer-encoding", "expect", "upgrade");

        private HealthRequest() {}

        private static List<byte[]> beginnings() {
            List<byte[]> beginnings = new ArrayList<>();
            for (String method : List.of("GET ", "HEAD ")) {
                for (String path : HealthValve.PATHS) {
                    beginnings.add((method + path + " ").getBytes(StandardCharsets.US_ASCII));
                }
            }
            return beginnings;
        }

        /** Returns whether the buffer has exactly one complete health check without a body. */
        static boolean isIn(SocketWrapperBase<NioChannel> socket) {
            ByteBuffer first = ByteBuffer.allocate(LONGEST_BEGINNING);
            try {
                if (socket.read(false, first) <= 0) {
                    return false;
                }
            } catch (IOException e) {
                // The request thread gets the same error and handles it.
                return false;
            }
            first.flip();
            boolean begins = begins(first);
            socket.unRead(first);
            if (!begins) {
                return false;
            }
            socket.getSocketBufferHandler().configureReadBufferForRead();
            ByteBuffer buffer = socket.getSocketBufferHandler().getReadBuffer();
            int length = buffer.remaining();
            if (length > MAX_BYTES) {
                return false;
            }
            byte[] request = new byte[length];
            buffer.get(buffer.position(), request);
            return isOneWithoutBody(new String(request, StandardCharsets.ISO_8859_1));
        }

        private static boolean begins(ByteBuffer first) {
            for (byte[] beginning : BEGINNINGS) {
                int mismatch = ByteBuffer.wrap(beginning).mismatch(first);
                if (mismatch < 0 || mismatch == beginning.length) {
                    return true;
                }
            }
            return false;
        }

        private static boolean isOneWithoutBody(String request) {
            int end = request.indexOf(END);
            if (end < 0 || end != request.length() - END.length()) {
                return false;
            }
            String lower = request.toLowerCase(Locale.ROOT);
            return BODY.stream().noneMatch(lower::contains);
        }
    }
}
