package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.builds.lease.Lease;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.events.EventKind;
import dev.offsetd.server.events.EventWriter;
import dev.offsetd.server.events.NewEvent;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Writes the states of builds, within the caller's transaction. Every change of a state is made by {@link #change}, which also
 * appends its event.
 *
 * <p>A method that takes a lease ends it and stores the result of the work. If another server holds the lease now, it throws
 * {@link Lease.LeaseLostException}, and the caller rolls back: a worker that was suspended for longer than its lease writes nothing.
 */
@Component
public class BuildStates {

    private static final String PROCESS_ENDED =
            "while its file was read, no request could run, and the server had to end itself";

    private final JdbcClient jdbc;
    private final LeaseHolder leases;
    private final ReservedConnections connections;
    private final DebugFileTable files;
    private final SourceOutcomes outcomes;
    private final ConflictingFiles conflicts;
    private final Changes changes;
    private final EventWriter events;

    BuildStates(
            JdbcClient jdbc,
            LeaseHolder leases,
            ReservedConnections connections,
            DebugFileTable files,
            SourceOutcomes outcomes,
            ConflictingFiles conflicts,
            Changes changes,
            EventWriter events) {
        this.jdbc = jdbc;
        this.leases = leases;
        this.connections = connections;
        this.files = files;
        this.outcomes = outcomes;
        this.conflicts = conflicts;
        this.changes = changes;
        this.events = events;
    }

    /**
     * A state and what is stored with it.
     *
     * @param attempt the attempt that led to it; null if none did, which keeps the last one
     * @param at when that attempt ended; null for now
     * @param failure why nothing is stored; null for none
     * @param extractorVersion version that made an attempt without a usable file; null otherwise
     * @param keepsRetry whether the retry time stays
     * @param retryAfter time until the next attempt may start; null if it may start at once
     * @param event of a build that had another state before; null for none
     */
    private record NewState(
            BuildState state,
            @Nullable Long attempt,
            @Nullable Instant at,
            @Nullable Failure failure,
            @Nullable Integer extractorVersion,
            boolean keepsRetry,
            @Nullable Duration retryAfter,
            @Nullable NewEvent event) {

        /** @param title of the build for the event log; empty if it has none */
        static NewState extracted(Lease lease, StoredFile file, String title) {
            NewEvent event = new NewEvent(
                    EventKind.BUILD_STORED,
                    lease.id(),
                    List.of(),
                    title.isEmpty() ? "Build " + lease.id() : title,
                    Map.of(
                            "machine", file.architecture().machine(),
                            "origin", file.origin().word(),
                            "sha256", file.sha256()));
            // After an upload, the sources are queried again when their retry time comes.
            boolean uploaded = file.upload() != null;
            return new NewState(
                    BuildState.EXTRACTED, lease.attempt(), file.extractedAt(), null, null, uploaded, null, event);
        }

        static NewState wanted(boolean keepsRetry) {
            return new NewState(BuildState.WANTED, null, null, null, null, keepsRetry, null, null);
        }

        static NewState failed(Failure failure, long attempt, Duration retryAfter) {
            return new NewState(
                    failure.cause().state(), attempt, null, failure, PartVersions.TYPES, false, retryAfter, null);
        }
    }

    /** Changes the state of builds, in the only statement that does. Returns whether one had another state before. */
    private boolean change(JdbcClient connection, Collection<BuildId> ids, NewState to) {
        Failure failure = to.failure();
        Instant at = to.at();
        boolean changed = connection
                .sql("""
                        update builds set state = :state,
                            wanted_at = case when :state = 'wanted' then now() else wanted_at end,
                            settled_at = case when :settled then coalesce(:at::timestamptz, now()) else settled_at end,
                            settled_attempt = case when :settled then :attempt::bigint else settled_attempt end,
                            problem_extractor_version =
                                case when :settled then :extractor::integer else problem_extractor_version end,
                            problem_code = :code, problem_detail = :detail, problem_section = :section,
                            problem_offset = :offset,
                            claimed_name = case when :state = 'extracted' then null else claimed_name end,
                            claimed_by = case when :state = 'extracted' then null else claimed_by end,
                            retry_at = case when :keepsRetry then retry_at
                                else now() + :retry::double precision * interval '1 second' end
                        from (select build_id as id, state as earlier from builds
                            where build_id = any(:ids) for no key update) before
                        where build_id = id returning earlier <> state
                        """)
                .param("ids", Rows.ids(ids))
                .param("state", to.state().word())
                .param("settled", to.attempt() != null)
                .param("at", at == null ? null : at.atOffset(ZoneOffset.UTC))
                .param("attempt", to.attempt())
                .param("extractor", to.extractorVersion())
                .param("code", failure == null ? null : failure.cause().code())
                .param("detail", failure == null ? null : failure.detail())
                .param("section", failure == null ? null : failure.section())
                .param("offset", failure == null ? null : failure.offset())
                .param("keepsRetry", to.keepsRetry())
                .param("retry", seconds(to.retryAfter()))
                .query(Boolean.class)
                .list()
                .contains(true);
        if (changed && to.event() != null) {
            events.append(to.event());
        }
        return changed;
    }

    private static @Nullable Double seconds(@Nullable Duration retryAfter) {
        return retryAfter == null ? null : Rows.seconds(retryAfter);
    }

    private boolean change(BuildId id, NewState to) {
        return change(jdbc, List.of(id), to);
    }

    /** Sets the retry time of builds whose state stays; null for at once. */
    private static void retryAfter(JdbcClient connection, Collection<BuildId> ids, @Nullable Duration retryAfter) {
        connection
                .sql("""
                        update builds set retry_at = now() + :retry::double precision * interval '1 second'
                        where build_id = any(:ids)
                        """)
                .param("ids", Rows.ids(ids))
                .param("retry", seconds(retryAfter))
                .update();
    }

    /**
     * Ends the work on a build whose types and identity, or symbols alone, the caller stores in the same transaction. Its generation
     * and its event are written right before the commit.
     *
     * @param title of the build for the event log; empty if it has none
     * @param checked outcomes of the sources that were queried
     * @return whether no types of the build were stored before
     */
    public boolean endExtracted(Lease lease, StoredFile file, String title, List<SourceOutcome> checked) {
        leases.end(lease);
        boolean isNew = change(lease.id(), NewState.extracted(lease, file, title));
        files.store(lease.id(), file, null);
        conflicts.delete(lease.id(), file.sha256());
        outcomes.deleteUpload(lease.id());
        outcomes.store(lease.id(), checked);
        changes.record(lease.id());
        return isNew;
    }

    /**
     * Ends the work on an upload of which only symbols are usable; the caller stores them in the same transaction. The
     * sources are queried next.
     *
     * @param outcome why the file is unusable otherwise
     */
    public void endWithSymbols(Lease lease, SymbolsOnly symbols, SourceOutcome outcome) {
        leases.end(lease);
        change(lease.id(), NewState.wanted(false));
        outcomes.store(lease.id(), List.of(outcome));
        storeSymbols(lease.id(), symbols);
    }

    /** Ends the work on a build whose stored types stay. */
    public void endUnchanged(Lease lease, Duration retryAfter, List<SourceOutcome> checked) {
        leases.end(lease);
        retryAfter(jdbc, List.of(lease.id()), retryAfter);
        outcomes.store(lease.id(), checked);
    }

    /** Ends the work on a build that could not be extracted. */
    public void endFailed(Lease lease, Failure failure, Duration retryAfter, List<SourceOutcome> checked) {
        leases.end(lease);
        change(lease.id(), NewState.failed(failure, lease.attempt(), retryAfter));
        outcomes.store(lease.id(), checked);
    }

    /** Records that symbols without types are stored; part of the transaction that ends the work. */
    public void storeSymbols(BuildId id, SymbolsOnly symbols) {
        files.store(id, symbols.file(), symbols.count());
        changes.record(id);
    }

    /** Records that no source has the file of the stored symbols any more; part of the transaction that ends the work. */
    public void deleteSymbols(BuildId id) {
        files.delete(id);
        changes.record(id);
    }

    /**
     * Lets the sources of builds be queried again at once. Stored types stay, and builds in progress are left alone.
     *
     * @param where condition on the builds
     * @return the builds that are queried again
     */
    List<BuildId> requeue(Collection<BuildId> ids, String where) {
        StoredGenerations.lock(jdbc, ids);
        List<BuildId> idle = idle(ids, "(" + where + ")");
        List<BuildId> stored = idle(idle, "state = 'extracted'");
        change(jdbc, idle.stream().filter(id -> !stored.contains(id)).toList(), NewState.wanted(false));
        retryAfter(jdbc, stored, null);
        outcomes.deleteQueried(idle);
        idle.forEach(changes::record);
        return idle;
    }

    private List<BuildId> idle(Collection<BuildId> ids, String where) {
        return jdbc.sql("select build_id from builds where build_id = any(:ids) and " + where
                        + """
                         and not exists (select from extraction_lease l where l.build_id = builds.build_id and %s)
                        """.formatted(Builds.IS_RUNNING))
                .param("ids", Rows.ids(ids))
                .query(Rows::id)
                .list();
    }

    /** Deletes what is stored of a build, because it is corrupt. */
    void discard(BuildId id) {
        change(id, NewState.wanted(true));
        files.delete(id);
        // Files of which only the symbols are stored have to be read again, too.
        outcomes.deleteUnusable(id);
        changes.record(id);
    }

    /**
     * Counts a failed attempt for each build whose file is being read, because the process ends itself: one build must not end one
     * server after the other. Stored types stay. Begins its own transaction, on reserved connections.
     *
     * @param unusable time until a build is tried again that did so repeatedly
     * @return the builds
     */
    public List<BuildId> recordProcessEnd(Duration unusable) {
        List<LeaseHolder.EndedAttempt> ended = connections.transaction().execute(status -> {
            List<LeaseHolder.EndedAttempt> attempts = leases.endComputing(connections.jdbc(), unusable);
            for (LeaseHolder.EndedAttempt attempt : attempts) {
                fail(attempt);
            }
            return attempts;
        });
        return ended.stream().map(LeaseHolder.EndedAttempt::id).toList();
    }

    private void fail(LeaseHolder.EndedAttempt attempt) {
        BuildId id = attempt.id();
        Boolean stored = connections
                .jdbc()
                .sql("select state = 'extracted' from builds where build_id = :id for no key update skip locked")
                .param("id", id.toBytes())
                .query(Boolean.class)
                .optional()
                .orElse(null);
        if (stored == null) {
            // Another transaction changes or deletes it, perhaps one that cannot go on. Its lease has counted the
            // attempt.
            return;
        }
        Failure failure = new Failure(attempt.tooMany() ? Cause.LIMIT_EXCEEDED : Cause.SERVER_ENDED, PROCESS_ENDED);
        FrameStates.recordProcessEnd(connections.jdbc(), id, failure, attempt.pause());
        if (stored) {
            retryAfter(connections.jdbc(), List.of(id), attempt.pause());
        } else {
            change(connections.jdbc(), List.of(id), NewState.failed(failure, attempt.attempt(), attempt.pause()));
        }
        outcomes.deleteOfSources(connections.jdbc(), id);
    }
}
