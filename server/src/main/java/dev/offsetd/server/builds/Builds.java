package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.operations.Rows;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@Component
public class Builds {

    /** Condition that a server works on the build whose row of the lease is {@code l}. */
    public static final String IS_RUNNING = "(l.owner is not null and l.lease_until >= now())";

    private static final String SELECT = """
            select b.build_id, b.state, b.generation, b.settled_attempt, b.problem_code, b.problem_detail,
                b.problem_section, b.problem_offset, b.problem_extractor_version, b.claimed_name, b.claimed_by,
                extract(epoch from b.retry_at - now()) as retry_seconds, %s as running,
                coalesce(l.paused_until > now() and b.retry_at = l.paused_until, false) as paused,
                exists (select from shared_build_ids s where s.build_id = b.build_id) as shared, f.*
            from builds b left join extraction_lease l using (build_id) left join debug_files f using (build_id)
            """.formatted(IS_RUNNING);

    private final JdbcClient jdbc;
    private final TransactionTemplate transaction;
    private final BuildStates states;
    private final SourceOutcomes outcomes;
    private final UnknownBuilds unknown;

    Builds(
            JdbcClient jdbc,
            PlatformTransactionManager transactions,
            BuildStates states,
            SourceOutcomes outcomes,
            UnknownBuilds unknown) {
        this.jdbc = jdbc;
        this.transaction = new TransactionTemplate(transactions);
        this.states = states;
        this.outcomes = outcomes;
        this.unknown = unknown;
    }

    /** Returns the build, or empty if it was never requested, or was deleted since. */
    public Optional<Build> find(BuildId id) {
        return find(id, outcome -> true);
    }

    /**
     * Returns the build, or empty if it was never requested, or was deleted since.
     *
     * @param shown selects the outcomes that it is returned with
     */
    public Optional<Build> find(BuildId id, Predicate<SourceOutcome> shown) {
        // Not while reading the row: that would take a second connection while holding the first.
        List<SourceOutcome> checked = outcomes.of(id).stream().filter(shown).toList();
        return jdbc.sql(SELECT + " where b.build_id = :id")
                .param("id", id.toBytes())
                .query((row, number) -> BuildRow.build(id, row, checked))
                .optional();
    }

    /** Returns those of these builds that are known, ordered by build-id. */
    public List<Build> find(Collection<BuildId> ids) {
        Map<BuildId, List<SourceOutcome>> checked = outcomes.of(ids);
        return jdbc.sql(SELECT + " where b.build_id = any(:ids) order by b.build_id")
                .param("ids", Rows.ids(ids))
                .query((row, number) -> {
                    BuildId id = BuildId.of(row.getBytes("build_id"));
                    return BuildRow.build(id, row, checked.getOrDefault(id, List.of()));
                })
                .list();
    }

    /** Adds the build if it is unknown. */
    public void insertIfAbsent(BuildId id) {
        int added = jdbc.sql("insert into builds (build_id) values (:id) on conflict do nothing")
                .param("id", id.toBytes())
                .update();
        if (added > 0) {
            unknown.added();
        }
    }

    /**
     * Adds the build if it is unknown, and locks it until the caller's transaction ends. Transactions lock the build before
     * everything that belongs to it, so that two that change the same build cannot deadlock.
     */
    public void addAndLock(BuildId id) {
        jdbc.sql("""
                        insert into builds (build_id) values (:id)
                        on conflict (build_id) do update set generation = builds.generation
                        """).param("id", id.toBytes()).update();
    }

    /**
     * Stores what callers call builds of which no file is stored; other builds are left out. A client does not replace a name
     * that a prewarm or an upload gave, because those require a token. Names of builds that another transaction changes are
     * dropped, so that nothing waits for a claim.
     */
    public void storeClaimedNames(Map<BuildId, ClaimedName> names) {
        List<BuildId> ids = names.keySet().stream().toList();
        List<ClaimedName> claims = ids.stream().map(names::get).toList();
        jdbc.sql("""
                        update builds set claimed_name = claims.name, claimed_by = claims.caller
                        from (select b.build_id, given.name, given.caller
                            from unnest(:ids, :names, :callers) given (id, name, caller)
                                join builds b on b.build_id = given.id
                            where b.state <> 'extracted'
                                and (given.caller <> 'client' or coalesce(b.claimed_by, 'client') = 'client')
                                and (b.claimed_name, b.claimed_by) is distinct from (given.name, given.caller)
                            for no key update of b skip locked) claims
                        where builds.build_id = claims.build_id
                        """)
                .param("ids", Rows.ids(ids))
                .param("names", claims.stream().map(ClaimedName::name).toArray(String[]::new))
                .param(
                        "callers",
                        claims.stream().map(claim -> claim.by().word()).toArray(String[]::new))
                .update();
    }

    /**
     * Deletes the outcomes of a build's sources and the failure derived from them, so that the sources are queried again at
     * once. Stored types stay, and a build in progress is left alone. If the file of a source is stored, its outcome says that it
     * is damaged, and stays. Part of the caller's transaction.
     *
     * @return whether there was anything to delete
     */
    public boolean requeue(BuildId id) {
        return !states.requeue(List.of(id), """
                        state in ('not_found', 'unusable', 'failed')
                            or (state = 'extracted' and (exists (select from debug_files f
                                    where f.build_id = builds.build_id and f.origin = 'upload')
                                or (exists (select from source_outcomes o
                                        where o.build_id = builds.build_id and o.outcome = 'unusable')
                                    and not exists (select from source_outcomes o
                                        where o.build_id = builds.build_id and o.outcome = 'fetched'))))
                        """).isEmpty();
    }

    /** Deletes the outcomes of these builds like {@link #requeue}, except of stored ones. */
    public void requeueMissing(Collection<BuildId> ids) {
        states.requeue(ids, "state in ('not_found', 'unusable', 'failed')");
    }

    /**
     * Marks a build whose stored types are corrupt as not stored, so that the next request extracts it again.
     *
     * @param generation the corrupt one; a later one is left alone
     */
    public void discard(BuildId id, long generation) {
        transaction.executeWithoutResult(status -> {
            boolean corrupt = jdbc.sql("""
                            select true from builds where build_id = :id and generation = :generation
                            for no key update
                            """)
                    .param("id", id.toBytes())
                    .param("generation", generation)
                    .query(Boolean.class)
                    .optional()
                    .isPresent();
            if (corrupt) {
                states.discard(id);
            }
        });
    }

    /** Returns idle builds of which an earlier extractor has read a part, and whose retry time has come. */
    public List<BuildId> storedBefore(PartVersions versions, int limit) {
        return jdbc.sql("""
                        select b.build_id from debug_files f join builds b using (build_id)
                            left join extraction_lease l using (build_id)
                        where f.symbol_count is null
                            and (f.extractor_version < :types
                                or coalesce(f.symbols_version, f.extractor_version) < :symbols)
                            and (b.retry_at is null or b.retry_at <= now())
                            and (l.owner is null or l.lease_until < now())
                        limit :limit
                        """)
                .param("types", versions.types())
                .param("symbols", versions.symbols())
                .param("limit", limit)
                .query(Rows::id)
                .list();
    }
}
