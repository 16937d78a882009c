package dev.offsetd.server.builds.demand;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.ClaimedName;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.sources.outcome.Cause;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Counts unmet demand in memory and stores it every few seconds, so that a request costs no write. A killed server
 * loses the counts since its last write, and builds beyond a limit are not counted.
 */
@Component
public class Demand implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Demand.class);

    private final DemandTable table;
    private final Builds builds;
    private final int maxPending;

    /** Guarded by {@code this}. */
    private Map<BuildId, DemandCount> pending = new HashMap<>();

    /** Guarded by {@code this}. */
    private Map<BuildId, ClaimedName> claims = new HashMap<>();

    Demand(DemandTable table, Builds builds, DemandProperties properties, PeriodicTasks tasks) {
        this.table = table;
        this.builds = builds;
        this.maxPending = properties.maxPending();
        tasks.add("storing demand", properties.flush(), this::flush);
    }

    /** Counts a request for a build that no source has, or of which no source has a usable file. */
    public void missed(BuildId id, Cause cause) {
        Instant now = Instant.now();
        count(List.of(new DemandCount(id, 1, now, now, cause.code())));
    }

    /** Remembers the name that a client gives a build. It is stored if no source has the build. */
    public void claimed(BuildId id, String name) {
        ClaimedName.of(name, ClaimedName.By.CLIENT).ifPresent(claim -> remember(id, claim));
    }

    private synchronized void remember(BuildId id, ClaimedName claim) {
        if (claims.size() < maxPending || claims.containsKey(id)) {
            claims.put(id, claim);
        }
    }

    /** Stores the counts since the last flush. */
    void flush() {
        // Events about the counts have the names.
        Map<BuildId, ClaimedName> names = takeClaims();
        if (!names.isEmpty()) {
            try {
                builds.storeClaimedNames(names);
            } catch (RuntimeException e) {
                putBack(names);
                throw e;
            }
        }
        Collection<DemandCount> counts = take();
        if (!counts.isEmpty()) {
            try {
                table.add(counts);
            } catch (RuntimeException e) {
                count(counts);
                throw e;
            }
        }
    }

    private synchronized void count(Collection<DemandCount> counts) {
        for (DemandCount count : counts) {
            if (pending.size() < maxPending || pending.containsKey(count.id())) {
                pending.merge(count.id(), count, DemandCount::plus);
            }
        }
    }

    private synchronized Map<BuildId, ClaimedName> takeClaims() {
        Map<BuildId, ClaimedName> taken = claims;
        claims = new HashMap<>();
        return taken;
    }

    /** Puts names back that were not stored, unless clients have given others since. */
    private synchronized void putBack(Map<BuildId, ClaimedName> names) {
        Map<BuildId, ClaimedName> since = claims;
        claims = new HashMap<>(names);
        since.forEach(this::remember);
    }

    private synchronized Collection<DemandCount> take() {
        Collection<DemandCount> counts = pending.values();
        pending = new HashMap<>();
        return counts;
    }

    @Override
    public void destroy() {
        try {
            flush();
        } catch (RuntimeException e) {
            log.warn("demand cannot be stored at shutdown: {}", e.toString());
        }
    }
}
