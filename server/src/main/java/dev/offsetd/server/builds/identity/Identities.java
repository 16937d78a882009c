package dev.offsetd.server.builds.identity;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.TlsAccess;
import dev.offsetd.extractor.symbols.TlsRelocation;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.ProgramFacts;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.server.builds.BuildNames;
import dev.offsetd.server.builds.BuildRow;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.changes.BuildGenerations;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.typesets.TypeSets;
import java.sql.Array;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Component
public class Identities implements BuildNames {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Builds that are searched for those of a set. */
    private static final int LATEST = 5_000;

    /** Most segments of an executable that are stored; linkers write up to about ten. */
    private static final int MAX_SEGMENTS = 64;

    private static final String NOT_READ = "the executable was not read";

    private final JdbcClient jdbc;
    private final IdentityFacets facets;
    private final GoModules goModules;
    private final TypeSets sets;
    private final Changes changes;
    private final BuildGenerations builds;
    private final TransactionTemplate transaction;

    Identities(
            JdbcClient jdbc,
            IdentityFacets facets,
            GoModules goModules,
            TypeSets sets,
            Changes changes,
            BuildGenerations builds,
            PlatformTransactionManager transactions) {
        this.changes = changes;
        this.builds = builds;
        this.sets = sets;
        this.jdbc = jdbc;
        this.facets = facets;
        this.goModules = goModules;
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * Stores the identity that was read from a build's debug file; part of the caller's transaction. Kinds of which this file says
     * nothing stay as they are: an executable or the name of an earlier file gave them.
     */
    public void store(BuildId id, Architecture architecture, Identity read) {
        write(
                id,
                architecture,
                find(id).map(before -> read.merge(kindsNotIn(read, before))).orElse(read));
        jdbc.sql("""
                        update build_identities
                        set work_due = now(), attempts = 0, claims = claims + 1, problem = null where build_id = :id
                        """).param("id", id.toBytes()).update();
    }

    private void write(BuildId id, Architecture architecture, Identity identity) {
        IdentityWords words = new IdentityWords(identity, architecture);
        OptionalLong stored = facets.store(words.shared());
        jdbc.sql("""
                        insert into build_identities
                            (build_id, fields, title, words, facets, family, machine, bits, byte_order, version_order)
                        values (:id, cast(:fields as jsonb), :title, cast(:words as tsvector), :facets, :family, :machine,
                            :bits, :byteOrder, :version)
                        on conflict (build_id) do update set fields = excluded.fields, title = excluded.title,
                            facets = excluded.facets, words = excluded.words || array_to_tsvector(
                                array(select '@' || name from unnest(build_identities.sets) name)),
                            family = excluded.family, machine = excluded.machine,
                            bits = excluded.bits, byte_order = excluded.byte_order,
                            version_order = excluded.version_order
                        """)
                .param("id", id.toBytes())
                .param("fields", JSON.writeValueAsString(stored(identity)))
                .param("title", identity.title())
                .param("words", stored.isPresent() ? words.own() : words.own() + ' ' + words.shared())
                .param("facets", stored.isPresent() ? stored.getAsLong() : null)
                .param("family", IdentityOrder.family(identity).orElse(null))
                .param("machine", architecture.machine())
                .param("bits", architecture.bits())
                .param("byteOrder", architecture.byteOrderName())
                .param("version", IdentityOrder.versionOrder(identity).orElse(null))
                .update();
        goModules.store(id, identity);
    }

    /** Requests a comparison of a build with an earlier one when its identity is known; part of the caller's transaction. */
    public void requestComparison(BuildId id) {
        jdbc.sql("update build_identities set uncompared = true where build_id = :id")
                .param("id", id.toBytes())
                .update();
    }

    /**
     * Ends a comparison; part of the caller's transaction.
     *
     * @return whether it was still requested: another server may have made it
     */
    public boolean endComparison(BuildId id) {
        return jdbc.sql("update build_identities set uncompared = false where build_id = :id and uncompared")
                        .param("id", id.toBytes())
                        .update()
                > 0;
    }

    /**
     * Work on the identity of a build.
     *
     * @param attempts attempts at it, this one included
     * @param claim fencing number, which each claim and each new file increase
     * @param uncompared whether a comparison with an earlier build was requested
     */
    public record Work(BuildId id, int attempts, long claim, boolean uncompared) {}

    /**
     * Claims the work that has been due for longest.
     *
     * @param duration time after which another server may claim it, too
     */
    public Optional<Work> claim(Duration duration) {
        return jdbc.sql("""
                        update build_identities set attempts = attempts + 1, claims = claims + 1,
                            work_due = now() + :seconds * interval '1 second'
                        where build_id = (select build_id from build_identities where work_due <= now()
                            order by work_due limit 1 for update skip locked)
                        returning build_id, attempts, claims, uncompared
                        """)
                .param("seconds", Rows.seconds(duration))
                .query((row, number) ->
                        new Work(BuildId.of(row.getBytes(1)), row.getInt(2), row.getLong(3), row.getBoolean(4)))
                .optional();
    }

    /**
     * Ends the work, if the claim on it still holds.
     *
     * @param problem why the executable's names are unknown; null if they are known
     * @param next time until the next attempt; null for none
     */
    public void end(Work work, @Nullable String problem, @Nullable Duration next) {
        jdbc.sql("""
                        update build_identities set problem = :problem,
                            work_due = now() + cast(:seconds as double precision) * interval '1 second'
                        where build_id = :id and claims = :claim
                        """)
                .param("id", work.id().toBytes())
                .param("claim", work.claim())
                .param("problem", problem)
                .param("seconds", next == null ? null : Rows.seconds(next))
                .update();
    }

    /**
     * Ends an attempt that does not count, if the claim on the work still holds.
     *
     * @param problem why it failed
     * @param next time until the next attempt
     */
    public void postpone(Work work, String problem, Duration next) {
        jdbc.sql("update build_identities set attempts = attempts - 1 where build_id = :id and claims = :claim")
                .param("id", work.id().toBytes())
                .param("claim", work.claim())
                .update();
        end(work, problem, next);
    }

    /** Returns whether the claim on the work holds, until the end of the caller's transaction. Locks the build first. */
    private boolean holds(Work work) {
        builds.lock(Set.of(work.id()));
        return jdbc.sql("select 1 from build_identities where build_id = :id and claims = :claim for update")
                .param("id", work.id().toBytes())
                .param("claim", work.claim())
                .query(Integer.class)
                .optional()
                .isPresent();
    }

    /** Adds what the work found in a build's executable, if the claim on it still holds. */
    public void add(Work work, Architecture architecture, Identity found) {
        transaction.executeWithoutResult(status -> {
            if (holds(work)) {
                add(work.id(), architecture, found);
            }
        });
    }

    /** Adds what a build's executable states. */
    public void add(BuildId id, Architecture architecture, Identity found) {
        transaction.executeWithoutResult(status -> {
            builds.lock(Set.of(id));
            Identity known = find(id).orElse(Identity.UNKNOWN);
            write(id, architecture, known.merge(found));
        });
    }

    /** Stores what a build's executable states of its symbols, by which answers change. A separate debug file states nothing. */
    public void storeExecutable(BuildId id, ExecutableFacts facts) {
        if (facts.segments().isEmpty()) {
            return;
        }
        transaction.executeWithoutResult(status -> {
            builds.lock(Set.of(id));
            int changed = jdbc.sql("""
                            update build_identities set segments = :segments, tls = cast(:tls as jsonb)
                            where build_id = :id
                                and (segments, tls) is distinct from (:segments::bigint[], cast(:tls as jsonb))
                            """)
                    .param("id", id.toBytes())
                    .param(
                            "segments",
                            facts.segments().stream()
                                    .limit(MAX_SEGMENTS)
                                    .flatMap(part -> Stream.of(part.offset(), part.address(), part.fileSize()))
                                    .toArray(Long[]::new))
                    .param("tls", facts.tls() == null ? null : JSON.writeValueAsString(stored(facts.tls())))
                    .update();
            if (changed > 0) {
                changes.record(id);
            }
        });
    }

    /** Returns what stands for ways to thread-local variables in the database; a relocation is [kind, address, offset]. */
    private static Map<String, Object> stored(TlsAccess tls) {
        return Map.of(
                "machine",
                tls.machine(),
                "program",
                tls.program(),
                "address",
                tls.segment().address(),
                "memorySize",
                tls.segment().memorySize(),
                "alignment",
                tls.segment().alignment(),
                "relocations",
                tls.relocations().stream()
                        .map(each -> List.of(each.kind().name(), each.address(), each.offset()))
                        .toList());
    }

    private static TlsAccess tls(JsonNode stored) {
        return new TlsAccess(
                stored.path("machine").asString(),
                new TlsSegment(
                        stored.path("address").asLong(),
                        null,
                        stored.path("memorySize").asLong(),
                        stored.path("alignment").asLong()),
                stored.path("program").asBoolean(),
                stored.path("relocations")
                        .valueStream()
                        .map(each -> new TlsRelocation(
                                TlsRelocation.Kind.valueOf(each.get(0).asString()),
                                each.get(1).asLong(),
                                each.get(2).asLong()))
                        .toList());
    }

    /**
     * Returns what the executable of a build states of its symbols.
     *
     * @param symbols of the file that answers for the build
     * @param given segments that the client sent; none if it sent none
     */
    public ProgramFacts program(BuildId id, StoredSymbols symbols, List<FileOffsets.Segment> given) {
        FileOffsets own = symbols.fileOffsets();
        if (symbols.tls().isEmpty() && (own.missing() == null || !given.isEmpty())) {
            return new ProgramFacts(given.isEmpty() ? own : own.by(given), null);
        }
        return jdbc.sql("select segments, tls, problem from build_identities where build_id = :id")
                .param("id", id.toBytes())
                .query((row, number) -> {
                    String tls = row.getString("tls");
                    List<FileOffsets.Segment> known =
                            given.isEmpty() && own.missing() != null ? segments(row.getArray("segments")) : given;
                    return new ProgramFacts(
                            offsets(own, known, row.getString("problem")),
                            tls == null ? null : tls(JSON.readTree(tls)));
                })
                .optional()
                .orElseGet(() -> new ProgramFacts(offsets(own, given, null), null));
    }

    /** @param problem why the executable is not known; null if it was not looked for yet */
    private static FileOffsets offsets(FileOffsets own, List<FileOffsets.Segment> known, @Nullable String problem) {
        if (!known.isEmpty()) {
            return own.by(known);
        }
        return own.missing() == null
                ? own
                : own.because(problem == null ? NOT_READ : "the executable was not read: " + problem);
    }

    private static List<FileOffsets.Segment> segments(@Nullable Array stored) throws SQLException {
        List<FileOffsets.Segment> segments = new ArrayList<>();
        if (stored != null) {
            Long[] numbers = (Long[]) stored.getArray();
            for (int i = 0; i + 2 < numbers.length; i += 3) {
                segments.add(new FileOffsets.Segment(numbers[i], numbers[i + 1], numbers[i + 2]));
            }
        }
        return segments;
    }

    /** Replaces the type sets of which a build has a required item, if the claim on the work still holds. */
    public void storeSets(Work work, Collection<SetCoverage> coverage) {
        transaction.executeWithoutResult(status -> {
            if (holds(work)) {
                storeSets(work.id(), coverage);
            }
        });
    }

    /** Replaces the type sets of which a build has a required item. The words of the complete ones find it. */
    public void storeSets(BuildId id, Collection<SetCoverage> coverage) {
        jdbc.sql("""
                        update build_identities set sets = :sets, coverage = cast(:coverage as jsonb),
                            words = ts_delete(words, array(select '@' || name from unnest(sets) name))
                                || array_to_tsvector(array(select '@' || name from unnest(:sets::text[]) name))
                        where build_id = :id
                        """)
                .param("id", id.toBytes())
                .param(
                        "sets",
                        coverage.stream()
                                .filter(SetCoverage::isComplete)
                                .map(SetCoverage::set)
                                .toArray(String[]::new))
                .param(
                        "coverage",
                        JSON.writeValueAsString(
                                coverage.stream().map(Identities::stored).toList()))
                .update();
    }

    /** Returns the array that stands for the coverage of a set in the database. */
    static List<Object> stored(SetCoverage coverage) {
        return List.of(
                coverage.set(),
                coverage.required().found(),
                coverage.required().of(),
                coverage.optional().found(),
                coverage.optional().of());
    }

    /** Returns the type sets in use of which these builds have a required item. */
    public Map<BuildId, List<SetCoverage>> coverage(Collection<BuildId> ids) {
        Map<BuildId, List<SetCoverage>> coverage = new HashMap<>();
        Set<String> retired = sets.retired();
        jdbc.sql("select build_id, coverage from build_identities where build_id = any(:ids)")
                .param("ids", Rows.ids(ids))
                .query(row -> {
                    coverage.put(
                            BuildId.of(row.getBytes("build_id")),
                            JSON.readTree(row.getString("coverage"))
                                    .valueStream()
                                    .map(each -> new SetCoverage(
                                            each.get(0).asString(),
                                            new Coverage.Share(
                                                    each.get(1).asInt(),
                                                    each.get(2).asInt()),
                                            new Coverage.Share(
                                                    each.get(3).asInt(),
                                                    each.get(4).asInt())))
                                    .filter(each -> !retired.contains(each.set()))
                                    .toList());
                });
        return coverage;
    }

    /** Returns the builds that have a required item of this set, of the latest ones, newest first. */
    public List<BuildId> latestWith(String set, int limit) {
        return jdbc.sql("""
                        select build_id from (
                            select build_id, state, settled_at from builds
                            where settled_at is not null order by settled_at desc, build_id limit :read) latest
                            join build_identities using (build_id)
                        where state = 'extracted' and coverage @> cast(:set as jsonb)
                        order by settled_at desc, build_id limit :limit
                        """)
                .param("read", LATEST)
                .param("set", JSON.writeValueAsString(List.of(List.of(set))))
                .param("limit", limit)
                .query(Rows::id)
                .list();
    }

    private static Identity kindsNotIn(Identity read, Identity before) {
        return new Identity(before.fields().stream()
                .filter(field -> read.first(field.kind()).isEmpty())
                .toList());
    }

    @Override
    public Optional<Identity> find(BuildId id) {
        return jdbc.sql("select fields from build_identities where build_id = :id")
                .param("id", id.toBytes())
                .query((row, number) -> identity(row.getString(1)))
                .optional();
    }

    /**
     * Identity of a file.
     *
     * @param architecture null if an earlier server stored the identity
     */
    public record NamedFile(Identity identity, @Nullable Architecture architecture) {}

    /** Returns what {@link #find} returns, with the architecture of the file. */
    public Optional<NamedFile> findFile(BuildId id) {
        return jdbc.sql("select fields, machine, bits, byte_order from build_identities where build_id = :id")
                .param("id", id.toBytes())
                .query((row, number) -> new NamedFile(
                        identity(row.getString("fields")),
                        row.getString("byte_order") == null ? null : BuildRow.architecture(row)))
                .optional();
    }

    /**
     * A stored build of the Linux kernel.
     *
     * @param extractorVersion extractor that read the debug file
     * @param sha256 of the debug file, lower-case hex
     * @param banner without the line feed at its end
     */
    public record Kernel(BuildId id, long generation, int extractorVersion, String sha256, String banner) {}

    /** Returns the stored kernels, ordered by build-id. */
    public List<Kernel> kernels(int limit) {
        return jdbc.sql("""
                        select i.build_id, i.fields, b.generation, f.extractor_version, f.sha256
                        from build_identities i join builds b using (build_id) join debug_files f using (build_id)
                        where i.fields @> '[["kernelBanner"]]' and b.state = 'extracted' and f.symbol_count is null
                        order by i.build_id limit :limit
                        """)
                .param("limit", limit)
                .query((row, number) -> new Kernel(
                        BuildId.of(row.getBytes("build_id")),
                        row.getLong("generation"),
                        row.getInt("extractor_version"),
                        HexFormat.of().formatHex(row.getBytes("sha256")),
                        identity(row.getString("fields"))
                                .first(IdentityField.Kind.KERNEL_BANNER)
                                .orElse("")))
                .list();
    }

    /** Arrays, because the names of members would be half of the table. */
    private static List<List<Object>> stored(Identity identity) {
        return identity.fields().stream()
                .map(field -> List.<Object>of(field.kind().wireName(), field.value(), field.source(), field.derived()))
                .toList();
    }

    /** Leaves out kinds that only a later server knows. */
    static Identity identity(String fields) {
        List<IdentityField> known = new ArrayList<>();
        for (JsonNode field : JSON.readTree(fields)) {
            IdentityField.Kind.named(field.get(0).asString())
                    .map(kind -> new IdentityField(
                            kind,
                            field.get(1).asString(),
                            field.get(2).asString(),
                            field.get(3).asBoolean()))
                    .ifPresent(known::add);
        }
        return new Identity(known);
    }

    @Override
    public Map<BuildId, String> titles(Collection<BuildId> ids) {
        Map<BuildId, String> titles = new HashMap<>();
        if (!ids.isEmpty()) {
            jdbc.sql("select build_id, title from build_identities where build_id = any(:ids) and title <> ''")
                    .param("ids", Rows.ids(ids))
                    .query(row -> {
                        titles.put(BuildId.of(row.getBytes("build_id")), row.getString("title"));
                    });
        }
        return titles;
    }

    public String title(BuildId id) {
        return titles(List.of(id)).getOrDefault(id, "");
    }

    /** Returns the stored build of the same library or program and architecture whose version precedes this one's. */
    public Optional<BuildId> previousVersion(BuildId id) {
        return jdbc.sql("""
                        select other.build_id from build_identities this
                            join build_identities other on other.family = this.family
                                and other.machine = this.machine and other.version_order < this.version_order
                            join builds b on b.build_id = other.build_id and b.state = 'extracted'
                        where this.build_id = :id and this.family not like 'package:%'
                        order by other.version_order desc, other.build_id limit 1
                        """).param("id", id.toBytes()).query(Rows::id).optional();
    }
}
