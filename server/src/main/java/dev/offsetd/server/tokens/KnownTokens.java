package dev.offsetd.server.tokens;

import dev.offsetd.server.access.TokenDirectory;
import dev.offsetd.server.access.TokenHash;
import dev.offsetd.server.timers.PeriodicTasks;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * All tokens, in memory. A revision in the database is looked at twice a second, so what is revoked on one server is
 * refused on all within that time. A token that is not in memory costs one look at the revision, which all that wait for
 * one share: a flood of made-up tokens keeps one connection busy, and a token is good as soon as it was made.
 */
@Component
class KnownTokens implements TokenDirectory, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(KnownTokens.class);

    private final TokenRows rows;
    private final TokenProperties properties;

    private volatile Snapshot snapshot = Snapshot.NOTHING;
    private volatile boolean lastLookFailed;

    /** One look at a time. */
    private final ReentrantLock looking = new ReentrantLock();

    /** When the latest look was begun, by {@link System#nanoTime}; guarded by {@link #looking}. */
    private long lookBegan = System.nanoTime();

    private final Map<UUID, Instant> uses = new ConcurrentHashMap<>();

    KnownTokens(TokenRows rows, TokenProperties properties, PeriodicTasks tasks) {
        this.rows = rows;
        this.properties = properties;
        tasks.add("polling tokens", properties.poll(), () -> lookUnlessBegunAfter(System.nanoTime()));
        tasks.add("storing the last use of tokens", properties.lastUsed(), this::noteUses);
    }

    @Override
    public Lookup find(TokenHash hash) {
        Lookup.Known known = snapshot.find(hash);
        if (known == null) {
            lookUnlessBegunAfter(System.nanoTime());
            known = snapshot.find(hash);
            if (known == null) {
                return lastLookFailed ? new Lookup.Unavailable() : new Lookup.Unknown();
            }
        }
        return isTooOld() ? new Lookup.Unavailable() : known;
    }

    /** Whether the database has been away for so long that a token may well have been revoked in the meantime. */
    private boolean isTooOld() {
        return lastLookFailed
                && System.nanoTime() - snapshot.confirmed > properties.outage().toNanos();
    }

    @Override
    public void used(UUID token, Instant at) {
        Instant noted = uses.get(token);
        // A token that everybody uses is not written to by everybody.
        if (noted == null || noted.plusSeconds(1).isBefore(at)) {
            uses.put(token, at);
        }
    }

    private void lookUnlessBegunAfter(long asked) {
        looking.lock();
        try {
            if (lookBegan - asked > 0) {
                return;
            }
            lookBegan = System.nanoTime();
            // The revision first: what is committed between the two reads is found out at the next look.
            long revision = rows.revision();
            snapshot = revision == snapshot.revision
                    ? snapshot.confirmedAt(lookBegan)
                    : new Snapshot(revision, lookBegan, all());
            if (lastLookFailed) {
                lastLookFailed = false;
                log.info("tokens can be looked up again");
            }
        } catch (RuntimeException | Error e) {
            if (!lastLookFailed) {
                lastLookFailed = true;
                log.warn(
                        "tokens cannot be looked up; those known so far are good for {}: {}",
                        properties.outage(),
                        e.toString());
            }
            if (e instanceof Error error) {
                throw error;
            }
        } finally {
            looking.unlock();
        }
    }

    private Map<TokenHash, Lookup.Known> all() {
        return rows.findAllByOrderByCreatedAt().stream()
                .collect(Collectors.toUnmodifiableMap(TokenRow::hash, row -> new Lookup.Known(row.token())));
    }

    /** Notes the uses since the last time, each token at most once within the time between two of these. */
    private void noteUses() {
        for (UUID token : Set.copyOf(uses.keySet())) {
            Instant at = uses.remove(token);
            if (at == null) {
                continue;
            }
            try {
                rows.noteUse(token, at, at.minus(properties.lastUsed()));
            } catch (RuntimeException e) {
                uses.putIfAbsent(token, at);
                log.debug("use of a token not noted", e);
                return;
            }
        }
    }

    @Override
    public void destroy() {
        noteUses();
    }

    /**
     * The tokens as they were at some time.
     *
     * @param revision of the database when they were read, or an earlier one
     * @param confirmed when this was last seen to be so, by {@link System#nanoTime}
     */
    private record Snapshot(long revision, long confirmed, Map<TokenHash, Lookup.Known> tokens) {

        static final Snapshot NOTHING = new Snapshot(-1, System.nanoTime(), Map.of());

        Lookup.@Nullable Known find(TokenHash hash) {
            return tokens.get(hash);
        }

        Snapshot confirmedAt(long nanos) {
            return new Snapshot(revision, nanos, tokens);
        }
    }
}
