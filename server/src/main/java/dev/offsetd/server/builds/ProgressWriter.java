package dev.offsetd.server.builds;

import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.timers.PeriodicTask;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Writes down how far this server is with the builds that it works on, all in one statement, for those who ask other servers.
 * Work that is over before the second look at it costs no write.
 */
@Component
class ProgressWriter implements DisposableBean {

    /** Between two looks: often enough for a bar that moves. */
    private static final Duration PERIOD = Duration.ofMillis(500);

    private final Map<Lease, WorkProgress> works = new ConcurrentHashMap<>();
    private final Leases leases;
    private final ReservedConnections connections;
    private final PeriodicTask looks;

    /** What the rows say of works that there were at the last look. Only the timer's thread has it. */
    private Map<Lease, WorkUnderWay> written = new HashMap<>();

    ProgressWriter(Leases leases, ReservedConnections connections) {
        this.leases = leases;
        this.connections = connections;
        looks = PeriodicTask.start("work-progress", "writing down progress", PERIOD, this::look);
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
        if (!news.isEmpty()) {
            leases.note(connections.jdbc(), news);
        }
        written = next;
    }

    @Override
    public void destroy() {
        looks.close();
    }
}
