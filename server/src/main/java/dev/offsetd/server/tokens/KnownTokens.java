package dev.offsetd.server.tokens;

import dev.offsetd.server.access.Token;
import dev.offsetd.server.access.TokenDirectory;
import dev.offsetd.server.access.TokenHash;
import dev.offsetd.server.timers.PeriodicTasks;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.stereotype.Component;

/**
 * All tokens in memory, under a revision in the database. Every server polls the revision twice a second, so a revoked token is
 * refused everywhere within that time. An unknown token causes one read of the revision, which all waiting requests share: a
 * flood of invented tokens keeps one connection busy, and a new token is accepted at once.
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
    public Optional<Token> find(TokenHash hash) {
        Token known = snapshot.tokens.get(hash);
        if (known == null) {
            lookUnlessBegunAfter(System.nanoTime());
            known = snapshot.tokens.get(hash);
        }
        if (known == null ? lastLookFailed : isTooOld()) {
            throw new DataAccessResourceFailureException("tokens cannot be looked up");
        }
        return Optional.ofNullable(known);
    }

    /** Returns whether the database was unavailable for so long that the token is likely to be revoked by now. */
    private boolean isTooOld() {
        return lastLookFailed
                && System.nanoTime() - snapshot.confirmed > properties.outage().toNanos();
    }

    @Override
    public void used(UUID token, Instant at) {
        Instant noted = uses.get(token);
        // Keeps a token that many clients share from being written by every request.
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

    private Map<TokenHash, Token> all() {
        return rows.findAllByOrderByCreatedAt().stream()
                .collect(Collectors.toUnmodifiableMap(TokenRow::hash, TokenRow::token));
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
    private record Snapshot(long revision, long confirmed, Map<TokenHash, Token> tokens) {

        static final Snapshot NOTHING = new Snapshot(-1, System.nanoTime(), Map.of());

        Snapshot confirmedAt(long nanos) {
            return new Snapshot(revision, nanos, tokens);
        }
    }
}
