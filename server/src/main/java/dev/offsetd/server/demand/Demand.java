package dev.offsetd.server.demand;

import dev.offsetd.extractor.layout.BuildId;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Counts in memory what is asked for in vain and writes it down every few seconds, so that a request costs no write. What a
 * killed server has counted since its last write is lost, and so are builds past the number that it counts at a time.
 */
@Component
public class Demand implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Demand.class);

    private final DemandTable table;
    private final int maxPending;
    private final ScheduledExecutorService timer;
    private final Future<?> flushes;

    /** Whether the last write failed, which is logged once. */
    private volatile boolean failing;

    /** Guarded by {@code this}. */
    private Map<BuildId, Count> pending = new HashMap<>();

    Demand(DemandTable table, DemandProperties properties) {
        this.table = table;
        this.maxPending = properties.maxPending();
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("demand").factory());
        long period = properties.flush().toMillis();
        flushes = timer.scheduleWithFixedDelay(this::flushOnTime, period, period, TimeUnit.MILLISECONDS);
    }

    /**
     * Counts a request for a build that no source has, or has no usable file of.
     *
     * @param cause why there was no answer: the code of the problem
     */
    public void missed(BuildId id, String cause) {
        Instant now = Instant.now();
        count(List.of(new Count(id, 1, now, now, cause)));
    }

    /**
     * What is in demand by what all servers have written down, without builds that are stored by now.
     *
     * @param cause only what has this cause; empty for any
     * @param after the last count of the page before; empty for the first page
     * @param limit most counts to give
     */
    public List<Count> page(DemandOrder order, Optional<String> cause, Optional<Count> after, int limit) {
        return table.page(order, cause, after, limit);
    }

    /** The causes that there are. */
    public List<String> causes() {
        return table.causes();
    }

    /** Writes down what was counted since the last time. */
    void flush() {
        Collection<Count> counts = take();
        if (counts.isEmpty()) {
            return;
        }
        try {
            table.add(counts);
        } catch (RuntimeException e) {
            count(counts);
            throw e;
        }
    }

    private synchronized void count(Collection<Count> counts) {
        for (Count count : counts) {
            if (pending.size() < maxPending || pending.containsKey(count.id())) {
                pending.merge(count.id(), count, Count::plus);
            }
        }
    }

    private synchronized Collection<Count> take() {
        Collection<Count> counts = pending.values();
        pending = new HashMap<>();
        return counts;
    }

    private void flushOnTime() {
        try {
            flush();
            failing = false;
        } catch (RuntimeException e) {
            if (!failing) {
                log.warn("demand cannot be written down now: {}", e.toString());
            }
            failing = true;
        }
    }

    @Override
    public void destroy() {
        flushes.cancel(false);
        timer.close();
        flushOnTime();
    }
}
