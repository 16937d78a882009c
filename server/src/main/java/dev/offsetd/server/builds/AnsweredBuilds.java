package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/** Builds that answer on this server and are being stored. A client that has an answer finds its build stored. */
@Component
public class AnsweredBuilds {

    /** Storing the types of a library takes a tenth of a second, those of the largest programs some seconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Map<BuildId, CountDownLatch> storing = new ConcurrentHashMap<>();

    /** Records that a build answers from now on. */
    public void begin(BuildId id) {
        storing.putIfAbsent(id, new CountDownLatch(1));
    }

    /** Records that a build is stored, or that it will not be. No-op if it did not answer. */
    public void end(BuildId id) {
        CountDownLatch ended = storing.remove(id);
        if (ended != null) {
            ended.countDown();
        }
    }

    /** Waits until a build that answers is stored, but no longer than some seconds. */
    void await(BuildId id) {
        CountDownLatch end = storing.get(id);
        if (end == null) {
            return;
        }
        try {
            end.await(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
