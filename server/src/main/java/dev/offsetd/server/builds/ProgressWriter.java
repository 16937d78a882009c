package dev.offsetd.server.builds;

import dev.offsetd.server.database.ReservedConnections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Writes down how far this server is with the builds that it works on, all in one statement, for those who ask other servers.
 * Work that is over before the second look at it costs no write.
 */
@Component
class ProgressWriter implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(ProgressWriter.class);

    /** Between two looks: often enough for a bar that moves. */
    private static final long PERIOD_MILLIS = 500;

    private final Map<Lease, WorkProgress> works = new ConcurrentHashMap<>();
    private final Leases leases;
    private final ReservedConnections connections;
    private final ScheduledExecutorService timer;
    private final Future<?> looks;

    /** What the rows say of works that there were at the last look. Only the timer's thread has it. */
    private Map<Lease, WorkUnderWay> written = new HashMap<>();

    private boolean failing;

    ProgressWriter(Leases leases, ReservedConnections connections) {
        this.leases = leases;
        this.connections = connections;
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("work-progress").factory());
        looks = timer.scheduleWithFixedDelay(this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Where the work under a lease is told of, until it {@linkplain #stop ends}. */
    WorkProgress start(Lease lease) {
        return works.computeIfAbsent(lease, ignored -> new WorkProgress());
    }

    void stop(Lease lease) {
        works.remove(lease);
    }

    private void look() {
        Map<Lease, WorkUnderWay> next = new HashMap<>();
        Map<Lease, WorkUnderWay> news = new HashMap<>();
        works.forEach((lease, work) -> {
            WorkUnderWay row = written.get(lease);
            // At the first look it has hardly begun.
            WorkUnderWay progress = row == null ? WorkProgress.BEGUN : work.now();
            next.put(lease, progress);
            if (row != null && !progress.equals(row)) {
                news.put(lease, progress);
            }
        });
        try {
            if (!news.isEmpty()) {
                leases.note(connections.jdbc(), news);
            }
            written = next;
            failing = false;
        } catch (RuntimeException e) {
            if (!failing) {
                log.warn("progress of {} builds cannot be written down: {}", news.size(), e.toString());
            }
            failing = true;
        }
    }

    @Override
    public void destroy() {
        looks.cancel(true);
        timer.shutdownNow();
    }
}
