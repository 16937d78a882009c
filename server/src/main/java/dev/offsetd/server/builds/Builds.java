package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.changes.Changes;
import dev.offsetd.server.outcome.BuildState;
import dev.offsetd.server.outcome.Cause;
import dev.offsetd.server.outcome.Failure;
import dev.offsetd.server.outcome.Origin;
import java.nio.ByteOrder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The builds, and the right to work on one. Every method is one short trip to the database. */
@Component
public class Builds {

    private static final String IS_RUNNING = "(l.owner is not null and l.lease_until >= now())";

    private static final String SELECT = """
            select b.*, %s as running, extract(epoch from b.retry_at - now()) as retry_seconds
            from builds b left join extraction_lease l using (build_id)
            """.formatted(IS_RUNNING);

    private static final String DWARF = "dwarf";
    private static final String BTF = "btf";

    private final JdbcClient jdbc;
    private final TransactionTemplate transaction;
    private final Leases leases;
    private final Heartbeat heartbeat;
    private final ProgressWriter progress;
    private final IdleBuilds idle;
    private final ServerIdentity identity;
    private final UnknownBuilds unknown;
    private final Conflicts conflicts;
    private final Changes changes;
    private final PinCounts pinCounts;
    private volatile boolean closed;

    Builds(
            JdbcClient jdbc,
            PlatformTransactionManager transactions,
            Leases leases,
            Heartbeat heartbeat,
            ProgressWriter progress,
            IdleBuilds idle,
            ServerIdentity identity,
            UnknownBuilds unknown,
            Conflicts conflicts,
            Changes changes,
            PinCounts pinCounts) {
        this.jdbc = jdbc;
        this.transaction = new TransactionTemplate(transactions);
        this.leases = leases;
        this.heartbeat = heartbeat;
        this.progress = progress;
        this.idle = idle;
        this.identity = identity;
        this.unknown = unknown;
        this.conflicts = conflicts;
        this.changes = changes;
        this.pinCounts = pinCounts;
    }

    /** The build, unless nobody has ever asked for it. */
    public Optional<Build> find(BuildId id) {
        // Not from within reading the row: that would take a second connection while it holds the first.
        List<SourceOutcome> checked = outcomes(id);
        Optional<Build> build = jdbc.sql(SELECT + " where build_id = :id")
                .param("id", id.toBytes())
                .query((row, number) -> build(id, row, checked))
                .optional();
        return build.map(known -> withActivePins(List.of(known)).getFirst());
    }

    /**
     * Builds in the order of their build-ids.
     *
     * @param after the last one of the page before; empty for the first page
     * @param limit most builds to give
     */
    public List<Build> page(BuildFilter filter, Optional<BuildId> after, int limit) {
        return transaction.execute(status -> {
            List<BuildId> ids = pageOfIds(filter, after, limit);
            Map<BuildId, List<SourceOutcome>> checked = outcomes(ids);
            return withActivePins(jdbc.sql(SELECT + " where build_id = any(:ids) order by build_id")
                    .param("ids", bytes(ids))
                    .query((row, number) -> {
                        BuildId id = BuildId.of(row.getBytes("build_id"));
                        return build(id, row, checked.getOrDefault(id, List.of()));
                    })
                    .list());
        });
    }

    /**
     * Counts the pins after reading the builds. A pin made in between changes the generation, so an answer with it is cached for
     * the old generation only; counted before, the new generation would be answered without the pin.
     */
    private List<Build> withActivePins(List<Build> builds) {
        Map<BuildId, Integer> counts =
                pinCounts.activePins(builds.stream().map(Build::id).toList());
        return builds.stream()
                .map(build -> build.withActivePins(counts.getOrDefault(build.id(), 0)))
                .toList();
    }

    /** Returns those of these builds whose types are stored. */
    public Set<BuildId> stored(Collection<BuildId> ids) {
        return new HashSet<>(jdbc.sql("select build_id from builds where build_id = any(:ids) and state = 'extracted'")
                .param("ids", bytes(ids))
                .query((row, number) -> BuildId.of(row.getBytes(1)))
                .list());
    }

    private List<BuildId> pageOfIds(BuildFilter filter, Optional<BuildId> after, int limit) {
        StringBuilder sql =
                new StringBuilder("select build_id from builds b left join extraction_lease l using (build_id)"
                        + " where build_id >= :first");
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("first", filter.first());
        after.ifPresent(id -> {
            sql.append(" and build_id > :after");
            parameters.put("after", id.toBytes());
        });
        if (filter.end() != null) {
            sql.append(" and build_id < :end");
            parameters.put("end", filter.end());
        }
        if (filter.state() != null) {
            sql.append(
                    filter.state().equals(BuildFilter.RUNNING)
                            ? " and " + IS_RUNNING
                            : " and state = :state and not " + IS_RUNNING);
            parameters.put("state", filter.state());
        }
        // What was stored of a build that is none any more says nothing.
        if (filter.origin() != null) {
            sql.append(" and state = 'extracted' and origin = :origin");
            parameters.put("origin", filter.origin().word());
        }
        if (filter.machine() != null) {
            sql.append(" and state = 'extracted' and machine = :machine");
            parameters.put("machine", filter.machine());
        }
        sql.append(" order by build_id limit :limit");
        parameters.put("limit", limit);
        return jdbc.sql(sql.toString())
                .params(parameters)
                .query((row, number) -> BuildId.of(row.getBytes(1)))
                .list();
    }

    /** Makes the build known, so that it can be worked on. */
    public void want(BuildId id) {
        int added = jdbc.sql("insert into builds (build_id) values (:id) on conflict do nothing")
                .param("id", id.toBytes())
                .update();
        if (added > 0) {
            unknown.added();
        }
    }

    /**
     * Makes the build known, and keeps everybody else from changing it until the caller's transaction has ended. It is the first
     * row that a transaction locks, so that two who change the same build never wait for each other.
     */
    public void hold(BuildId id) {
        jdbc.sql("""
                        insert into builds (build_id) values (:id)
                        on conflict (build_id) do update set generation = builds.generation
                        """).param("id", id.toBytes()).update();
    }

    /**
     * The right to work on a build that is known, unless another server has it or there is nothing to do. From now on
     * this server gives signs of life for it, until it is released or finished.
     *
     * @param due whether there is something to do; asked with the build as it is once the lease is held, because whoever
     *     held it before may have done it
     */
    public Optional<Lease> claim(BuildId id, Predicate<Build> due) {
        if (closed) {
            return Optional.empty();
        }
        Optional<Lease> claimed = transaction.execute(status -> {
            Optional<Lease> lease = leases.claim(id, identity.name());
            if (lease.isPresent() && !due.test(find(id).orElseThrow())) {
                leases.release(lease.get());
                return Optional.empty();
            }
            return lease;
        });
        claimed.ifPresent(heartbeat::start);
        if (closed) {
            claimed.ifPresent(this::release);
            return Optional.empty();
        }
        return claimed;
    }

    /** Gives all leases of this server back, and takes none from now on, so that other servers can go on at once. */
    public void close() {
        closed = true;
        heartbeat.stopAll();
        leases.releaseAll(identity.name());
    }

    /** Where whoever works under a lease says how far it is, for all servers to know. */
    public WorkProgress progress(Lease lease) {
        return progress.start(lease);
    }

    /** Gives the right back without a result. */
    public void release(Lease lease) {
        heartbeat.stop(lease);
        progress.stop(lease);
        leases.release(lease);
    }

    /**
     * Forgets what sources said about a build, and what followed from it, so that they are asked again at once and by every
     * server. What is stored stays; so does a build that somebody works on. Part of the caller's transaction.
     *
     * @return whether the build was known, and had anything to forget
     */
    public boolean forgetOutcomes(BuildId id) {
        return !forgetOutcomes(
                        List.of(id),
                        "state in ('not_found', 'unusable', 'failed') or (state = 'extracted' and origin = 'upload')")
                .isEmpty();
    }

    /** The same for all of these builds, but for those that are stored, from whatever source. */
    public void forgetOutcomesOfMissing(Collection<BuildId> ids) {
        forgetOutcomes(ids, "state in ('not_found', 'unusable', 'failed')");
    }

    private List<BuildId> forgetOutcomes(Collection<BuildId> ids, String states) {
        // In one order: two who forget many must not wait for each other.
        jdbc.sql("select 1 from builds where build_id = any(:ids) order by build_id for no key update")
                .param("ids", bytes(ids))
                .query(Integer.class)
                .list();
        List<BuildId> idle = jdbc.sql("""
                        update builds set retry_at = null,
                            state = case when state = 'extracted' then state else 'wanted' end,
                            problem_code = null, problem_detail = null, problem_section = null,
                            problem_offset = null, wanted_at = now()
                        where build_id = any(:ids) and (%s)
                            and not exists (select from extraction_lease l
                                where l.build_id = builds.build_id and l.owner is not null
                                    and l.lease_until >= now())
                        returning build_id
                        """.formatted(states))
                .param("ids", bytes(ids))
                .query((row, number) -> BuildId.of(row.getBytes(1)))
                .list();
        // What somebody uploaded is not asked for again.
        jdbc.sql("delete from source_outcomes where build_id = any(:ids) and origin <> 'upload'")
                .param("ids", bytes(idle))
                .update();
        idle.forEach(changes::record);
        return idle;
    }

    /**
     * Forgets that a build is stored, because what is stored cannot be read; it is extracted anew when it is asked for.
     *
     * @param generation the one that cannot be read; a later one is left alone
     */
    public void discard(BuildId id, long generation) {
        transaction.executeWithoutResult(status -> {
            int discarded = jdbc.sql("""
                            update builds set state = 'wanted', wanted_at = now(), symbols_read_at = null
                            where build_id = :id and generation = :generation
                            """)
                    .param("id", id.toBytes())
                    .param("generation", generation)
                    .update();
            if (discarded > 0) {
                // So that files that have nothing but symbols are read again.
                jdbc.sql("delete from source_outcomes where build_id = :id and outcome = 'unusable'")
                        .param("id", id.toBytes())
                        .update();
                changes.record(id);
            }
        });
    }

    /** What all servers work on right now, and how far they are. */
    public Map<BuildId, WorkUnderWay> underWay() {
        return leases.underWay();
    }

    /** Completes once nobody works on the build any more: it is finished, or its worker has died. */
    public CompletableFuture<Void> whenIdle(BuildId id) {
        return idle.whenIdle(id);
    }

    /**
     * Ends the work on a build whose types are stored in the same transaction, which the caller has begun.
     *
     * @throws LeaseLostException if somebody else has the lease now; the transaction must be rolled back
     */
    public void finishExtracted(Lease lease, StoredFile file, List<SourceOutcome> outcomes) {
        end(lease);
        Upload upload = file.upload();
        StoredFile.Supplementary supplementary = file.supplementary();
        about(lease.id(), file, """
                        update builds set state = 'extracted', settled_at = :at, settled_attempt = :attempt,
                            extractor_version = :extractor, machine = :machine, bits = :bits, byte_order = :byteOrder,
                            origin = :origin, upstream = :upstream, file_sha256 = :sha256, file_bytes = :bytes,
                            verified = :verified, fetched_bytes = :fetchedBytes,
                            supplementary_build_id = :supplementaryId, supplementary_upstream = :supplementaryUpstream,
                            supplementary_sha256 = :supplementarySha256, supplementary_bytes = :supplementaryBytes,
                            upload_token = :token, upload_label = :label, debug_format = :debugFormat,
                            debug_info_bytes = :debugInfoBytes,
                            problem_code = null, problem_detail = null, problem_section = null, problem_offset = null,
                            symbols_read_at = null,
                            -- Behind an upload, sources that have said no are asked again when their time has come.
                            retry_at = case when :origin = 'upload' then retry_at end
                        where build_id = :id
                        """)
                .param("attempt", lease.attempt())
                .param("debugFormat", upload == null ? null : upload.dwarf() ? DWARF : BTF)
                .param("debugInfoBytes", upload == null ? null : upload.debugInfoBytes())
                .param(
                        "supplementaryId",
                        supplementary == null ? null : supplementary.buildId().toBytes())
                .param("supplementaryUpstream", supplementary == null ? null : supplementary.upstream())
                .param(
                        "supplementarySha256",
                        supplementary == null ? null : HexFormat.of().parseHex(supplementary.sha256()))
                .param("supplementaryBytes", supplementary == null ? null : supplementary.bytes())
                .update();
        conflicts.forget(lease.id(), file.sha256());
        jdbc.sql("delete from source_outcomes where build_id = :id and origin = 'upload'")
                .param("id", lease.id().toBytes())
                .update();
        store(lease.id(), outcomes);
        changes.record(lease.id());
    }

    /**
     * Ends the work on a build of which somebody uploaded a file that has nothing but symbols, which are stored in the same
     * transaction, which the caller has begun. The sources are asked next.
     *
     * @param outcome why the file cannot serve
     * @throws LeaseLostException if somebody else has the lease now; the transaction must be rolled back
     */
    public void finishWithSymbols(Lease lease, SymbolsOnly symbols, SourceOutcome outcome) {
        end(lease);
        jdbc.sql("""
                        update builds set state = 'wanted', wanted_at = now(), retry_at = null,
                            problem_code = null, problem_detail = null, problem_section = null, problem_offset = null
                        where build_id = :id
                        """).param("id", lease.id().toBytes()).update();
        store(lease.id(), List.of(outcome));
        keepSymbols(lease.id(), symbols);
    }

    /** Notes that symbols without types are stored, in the same transaction, which the caller has begun. */
    public void keepSymbols(BuildId id, SymbolsOnly symbols) {
        about(id, symbols.file(), """
                        update builds set symbols_read_at = :at, symbols_extractor_version = :extractor,
                            symbol_count = :count, machine = :machine, bits = :bits, byte_order = :byteOrder,
                            origin = :origin, upstream = :upstream, file_sha256 = :sha256, file_bytes = :bytes,
                            verified = :verified, upload_token = :token, upload_label = :label,
                            fetched_bytes = :fetchedBytes, debug_format = null, debug_info_bytes = null,
                            supplementary_build_id = null, supplementary_upstream = null,
                            supplementary_sha256 = null, supplementary_bytes = null
                        where build_id = :id
                        """).param("count", symbols.count()).update();
        changes.record(id);
    }

    /** A statement about a build, with the parameters that tell of the file that was read for it. */
    private JdbcClient.StatementSpec about(BuildId id, StoredFile file, String sql) {
        Upload upload = file.upload();
        return jdbc.sql(sql)
                .param("id", id.toBytes())
                .param("at", file.extractedAt().atOffset(ZoneOffset.UTC))
                .param("extractor", file.extractorVersion())
                .param("machine", file.architecture().machine())
                .param("bits", file.architecture().bits())
                .param("byteOrder", file.architecture().byteOrderName())
                .param("origin", file.origin().word())
                .param("upstream", file.upstream())
                .param("sha256", HexFormat.of().parseHex(file.sha256()))
                .param("bytes", file.bytes())
                .param("verified", file.verified())
                .param("fetchedBytes", file.fetchedBytes())
                .param("token", upload == null ? null : upload.token())
                .param("label", upload == null ? null : upload.label());
    }

    /** Notes that symbols without types are of no file that anybody has any more; part of the caller's transaction. */
    public void dropSymbols(BuildId id) {
        jdbc.sql("update builds set symbols_read_at = null where build_id = :id")
                .param("id", id.toBytes())
                .update();
        changes.record(id);
    }

    /**
     * Ends the work on a build that stays as it is stored, in a transaction that the caller has begun.
     *
     * @param retryAfter time until the sources should be asked again
     * @param outcomes what they said this time
     * @throws LeaseLostException if somebody else has the lease now; the transaction must be rolled back
     */
    public void finishUnchanged(Lease lease, Duration retryAfter, List<SourceOutcome> outcomes) {
        end(lease);
        jdbc.sql("update builds set retry_at = now() + :retry * interval '1 second' where build_id = :id")
                .param("id", lease.id().toBytes())
                .param("retry", seconds(retryAfter))
                .update();
        store(lease.id(), outcomes);
    }

    /**
     * Ends the work on a build that could not be extracted, in a transaction that the caller has begun.
     *
     * @param retryAfter time until somebody may try again
     * @throws LeaseLostException if somebody else has the lease now; the transaction must be rolled back
     */
    public void finishWithout(
            Lease lease, Failure failure, int extractorVersion, Duration retryAfter, List<SourceOutcome> outcomes) {
        end(lease);
        jdbc.sql("""
                        update builds set state = :state, settled_at = now(), settled_attempt = :attempt,
                            extractor_version = :extractor,
                            problem_code = :code, problem_detail = :detail, problem_section = :section,
                            problem_offset = :offset, retry_at = now() + :retry * interval '1 second'
                        where build_id = :id
                        """)
                .param("id", lease.id().toBytes())
                .param("attempt", lease.attempt())
                .param("state", failure.cause().state().word())
                .param("extractor", extractorVersion)
                .param("code", failure.cause().code())
                .param("detail", failure.detail())
                .param("section", failure.section())
                .param("offset", failure.offset())
                .param("retry", seconds(retryAfter))
                .update();
        store(lease.id(), outcomes);
    }

    /**
     * Builds that an earlier extractor has stored, that nobody works on, and whose retry time has come.
     *
     * @param limit most builds to give
     */
    public List<BuildId> storedBefore(int extractorVersion, int limit) {
        return jdbc.sql("""
                        select build_id from builds b left join extraction_lease l using (build_id)
                        where b.state = 'extracted' and b.extractor_version < :version
                            and (b.retry_at is null or b.retry_at <= now())
                            and (l.owner is null or l.lease_until < now())
                        limit :limit
                        """)
                .param("version", extractorVersion)
                .param("limit", limit)
                .query((row, number) -> BuildId.of(row.getBytes(1)))
                .list();
    }

    private void end(Lease lease) {
        heartbeat.stop(lease);
        progress.stop(lease);
        if (!leases.release(lease)) {
            throw new LeaseLostException(lease);
        }
    }

    private void store(BuildId id, List<SourceOutcome> outcomes) {
        for (SourceOutcome outcome : outcomes) {
            Failure failure = outcome.failure();
            jdbc.sql("""
                            insert into source_outcomes (build_id, source, origin, outcome, code, detail, section,
                                section_offset, misses, asked_at, retry_at)
                            values (:id, :source, :origin, :outcome, :code, :detail, :section, :offset, :misses,
                                :askedAt, now() + :retry * interval '1 second')
                            on conflict (build_id, source) do update
                                set origin = excluded.origin, outcome = excluded.outcome, code = excluded.code,
                                    detail = excluded.detail, section = excluded.section,
                                    section_offset = excluded.section_offset, misses = excluded.misses,
                                    asked_at = excluded.asked_at, retry_at = excluded.retry_at
                            """)
                    .param("id", id.toBytes())
                    .param("source", outcome.source())
                    .param("origin", outcome.origin().word())
                    .param("outcome", outcome.word())
                    .param("code", failure == null ? null : failure.cause().code())
                    .param("detail", failure == null ? null : failure.detail())
                    .param("section", failure == null ? null : failure.section())
                    .param("offset", failure == null ? null : failure.offset())
                    .param("misses", outcome.misses())
                    .param("askedAt", outcome.askedAt().atOffset(ZoneOffset.UTC))
                    .param("retry", seconds(outcome.retryAfter()))
                    .update();
        }
    }

    private List<SourceOutcome> outcomes(BuildId id) {
        return outcomes(List.of(id)).getOrDefault(id, List.of());
    }

    private Map<BuildId, List<SourceOutcome>> outcomes(Collection<BuildId> ids) {
        Map<BuildId, List<SourceOutcome>> outcomes = new HashMap<>();
        jdbc.sql("""
                        select *, extract(epoch from retry_at - now()) as retry_seconds from source_outcomes
                        where build_id = any(:ids)
                        order by origin = 'local' desc, source collate "C"
                        """).param("ids", bytes(ids)).query(row -> {
            outcomes.computeIfAbsent(BuildId.of(row.getBytes("build_id")), _ -> new ArrayList<>())
                    .add(new SourceOutcome(
                            row.getString("source"),
                            Origin.ofWord(row.getString("origin")),
                            failure(row, "code", "detail", "section", "section_offset"),
                            SourceOutcome.NOT_ASKED.equals(row.getString("outcome")),
                            row.getInt("misses"),
                            instant(row, "asked_at"),
                            duration(row.getDouble("retry_seconds"))));
        });
        return outcomes;
    }

    private static byte[][] bytes(Collection<BuildId> ids) {
        return ids.stream().map(BuildId::toBytes).toArray(byte[][]::new);
    }

    private static Build build(BuildId id, ResultSet row, List<SourceOutcome> checked) throws SQLException {
        BuildState state = BuildState.ofWord(row.getString("state"));
        return new Build(
                id,
                state,
                row.getBoolean("running"),
                row.getLong("generation"),
                state == BuildState.EXTRACTED
                        ? Optional.of(file(row, "extractor_version", "settled_at"))
                        : Optional.empty(),
                state == BuildState.EXTRACTED || row.getObject("symbols_read_at") == null
                        ? Optional.empty()
                        : Optional.of(new SymbolsOnly(
                                file(row, "symbols_extractor_version", "symbols_read_at"), row.getInt("symbol_count"))),
                Optional.ofNullable(
                        failure(row, "problem_code", "problem_detail", "problem_section", "problem_offset")),
                row.getInt("extractor_version"),
                duration(row.getDouble("retry_seconds")),
                row.getLong("settled_attempt"),
                0,
                checked);
    }

    private static StoredFile file(ResultSet row, String extractor, String extractedAt) throws SQLException {
        return new StoredFile(
                new Architecture(
                        row.getString("machine"),
                        row.getInt("bits"),
                        row.getString("byte_order").equals("little") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN),
                Origin.ofWord(row.getString("origin")),
                row.getString("upstream"),
                HexFormat.of().formatHex(row.getBytes("file_sha256")),
                row.getLong("file_bytes"),
                row.getString("verified"),
                row.getInt(extractor),
                instant(row, extractedAt),
                row.getLong("fetched_bytes"),
                supplementary(row),
                upload(row));
    }

    private static @Nullable Upload upload(ResultSet row) throws SQLException {
        return Origin.ofWord(row.getString("origin")) == Origin.UPLOAD
                ? new Upload(
                        row.getObject("upload_token", UUID.class),
                        row.getString("upload_label"),
                        DWARF.equals(row.getString("debug_format")),
                        row.getLong("debug_info_bytes"))
                : null;
    }

    private static StoredFile.@Nullable Supplementary supplementary(ResultSet row) throws SQLException {
        byte[] id = row.getBytes("supplementary_build_id");
        return id == null
                ? null
                : new StoredFile.Supplementary(
                        BuildId.of(id),
                        row.getString("supplementary_upstream"),
                        HexFormat.of().formatHex(row.getBytes("supplementary_sha256")),
                        row.getLong("supplementary_bytes"));
    }

    private static @Nullable Failure failure(ResultSet row, String code, String detail, String section, String offset)
            throws SQLException {
        String name = row.getString(code);
        return name == null
                ? null
                : new Failure(
                        Cause.ofCode(name),
                        row.getString(detail),
                        row.getString(section),
                        row.getObject(offset, Long.class));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static Duration duration(double seconds) {
        return seconds <= 0 ? Duration.ZERO : Duration.ofMillis((long) Math.ceil(seconds * 1000));
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
