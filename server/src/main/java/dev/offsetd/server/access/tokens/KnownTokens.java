package dev.offsetd.server.access.tokens;

import dev.offsetd.server.access.Token;
import dev.offsetd.server.access.TokenDirectory;
import dev.offsetd.server.access.TokenHash;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
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

    private final Tokens table;

    /** Requests may exhaust the pool. */
    private final ReservedConnections connections;

    private final TokenProperties properties;

    private volatile Snapshot snapshot = Snapshot.EMPTY;
    private volatile boolean lastRefreshFailed;

    private final ReentrantLock refreshing = new ReentrantLock();

    /** Start of the latest refresh, by {@link System#nanoTime}; guarded by {@link #refreshing}. */
    private long refreshBegan = System.nanoTime();

    private final Map<UUID, Instant> uses = new ConcurrentHashMap<>();

    KnownTokens(Tokens table, ReservedConnections connections, TokenProperties properties, PeriodicTasks tasks) {
        this.table = table;
        this.connections = connections;
        this.properties = properties;
        tasks.add("polling tokens", properties.poll(), () -> refresh());
        tasks.add("storing the last use of tokens", properties.lastUsed(), this::storeUses);
    }

    @Override
    public Optional<Token> find(TokenHash hash) {
        Token known = snapshot.tokens.get(hash);
        if (known == null) {
            refresh();
            known = snapshot.tokens.get(hash);
        }
        if (known == null ? lastRefreshFailed : isTooOld()) {
            throw new DataAccessResourceFailureException("tokens cannot be looked up");
        }
        return Optional.ofNullable(known);
    }

    /** Returns whether the database was unavailable for so long that the token is likely to be revoked by now. */
    private boolean isTooOld() {
        return lastRefreshFailed
                && System.nanoTime() - snapshot.confirmed > properties.outage().toNanos();
    }

    @Override
    public void used(UUID token, Instant at) {
        Instant last = uses.get(token);
        // Requests with a shared token need not contend for its entry.
        if (last == null || last.plusSeconds(1).isBefore(at)) {
            uses.put(token, at);
        }
    }

    /** Reads the tokens again if the revision has changed. Calls that wait for a refresh share the next one. */
    private void refresh() {
        long called = System.nanoTime();
        refreshing.lock();
        try {
            if (refreshBegan - called > 0) {
                return;
            }
            refreshBegan = System.nanoTime();
            // The revision first: the next refresh finds changes committed between the two reads.
            Tokens.Revision revision = table.revision(connections.jdbc());
            snapshot = revision.equals(snapshot.revision)
                    ? snapshot.confirmedAt(refreshBegan)
                    : new Snapshot(revision, refreshBegan, table.byHash(connections.jdbc()));
            if (lastRefreshFailed) {
                lastRefreshFailed = false;
                log.info("tokens can be looked up again");
            }
        } catch (RuntimeException | Error e) {
            if (!lastRefreshFailed) {
                lastRefreshFailed = true;
                log.warn(
                        "tokens cannot be looked up; known tokens are accepted for {}: {}",
                        properties.outage(),
                        e.toString());
            }
            if (e instanceof Error error) {
                throw error;
            }
        } finally {
            refreshing.unlock();
        }
    }

    /** Writes the uses since the last call, at most one per token and interval over all servers. */
    private void storeUses() {
        for (UUID token : Set.copyOf(uses.keySet())) {
            Instant at = uses.remove(token);
            if (at == null) {
                continue;
            }
            try {
                table.setLastUsed(token, at, at.minus(properties.lastUsed()));
            } catch (RuntimeException e) {
                uses.putIfAbsent(token, at);
                log.debug("cannot store the use of a token", e);
                return;
            }
        }
    }

    @Override
    public void destroy() {
        storeUses();
    }

    /**
     * The tokens at a point in time.
     *
     * @param revision read before the tokens
     * @param confirmed last time the revision was current, by {@link System#nanoTime}
     */
    private record Snapshot(Tokens.Revision revision, long confirmed, Map<TokenHash, Token> tokens) {

        static final Snapshot EMPTY = new Snapshot(new Tokens.Revision(-1, Instant.EPOCH), System.nanoTime(), Map.of());

        Snapshot confirmedAt(long nanos) {
            return new Snapshot(revision, nanos, tokens);
        }
    }
}
