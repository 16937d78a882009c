package dev.offsetd.server.builds.identity;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.server.builds.BuildRow;
import dev.offsetd.server.sources.outcome.Origin;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Stored builds of a project whose versions are near another one. */
@Component
public class ComparableBuilds {

    /** The expression of the index. */
    private static final String PROJECT =
            "(jsonb_path_query_first(i.fields, 'strict $[*] ? (@[0] == \"project\" && @[3] == false)[1]') #>> '{}')";

    private static final String COLUMNS = """
            select i.build_id, i.fields, i.title, b.generation, f.origin, f.sha256, f.machine, f.bits, f.byte_order,
                coalesce(f.upload_token::text, f.upload_label) uploader
            """;

    private static final String SELECT = COLUMNS + """
            from build_identities i join builds b using (build_id) join debug_files f using (build_id)
            where %s = :project and i.machine = :machine and i.fields @> cast(:variants as jsonb)
                and b.state = 'extracted' and f.symbol_count is null and %s = :rank and i.build_id <> :id
                and not exists (select from shared_build_ids s where s.build_id = i.build_id)
                and f.verified not like 'claimed%%'
                and i.version_order >= :series and i.version_order < :afterSeries
            """.formatted(PROJECT, Origin.rankIn("f.origin"));

    private static final JsonMapper JSON = JsonMapper.shared();

    private final JdbcClient jdbc;

    ComparableBuilds(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * A stored build.
     *
     * @param sha256 of that file, in hex
     * @param uploader id of the token that uploaded the file, or the uploader's name without one; null if it was not uploaded
     */
    public record ComparableBuild(
            BuildId id,
            long generation,
            String title,
            Origin origin,
            String sha256,
            @Nullable String uploader,
            Identity identity,
            Architecture architecture) {

        /** Returns its version; empty if none is known. */
        public String version() {
            return IdentityOrder.version(identity).orElse("");
        }

        /** Returns the first two numbers of its version: 3.4 of 3.4.5; empty if none is known. */
        public String series() {
            return IdentityOrder.version(identity)
                    .map(IdentityOrder::seriesNumbers)
                    .orElse("");
        }

        /** Returns the known variants of the build as a program of a type set. */
        private Set<String> variants(String set) {
            return identity.all(IdentityField.Kind.VARIANT).stream()
                    .filter(variant -> variant.startsWith(set + '.'))
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        /** Returns these without sizes of variables: a release that moves members often changes the sizes. */
        public Set<String> options(String set) {
            Set<String> options = variants(set);
            options.removeIf(variant -> Character.isDigit(variant.charAt(variant.indexOf('=') + 1)));
            return options;
        }
    }

    /**
     * Properties that similar builds share.
     *
     * @param project as its file states it
     * @param version of a series that they share
     * @param variants values of fields that the builds have
     */
    public record Likeness(String project, String machine, String version, Collection<String> variants) {

        public Likeness {
            variants = List.copyOf(variants);
        }
    }

    /**
     * Returns the builds of a project whose versions are nearest to one: those below, and those at it or above. Their first two
     * numbers are those of the version, so that the builds of one series are read, and not all of the project.
     *
     * @param id a build to leave out
     * @param rank of the origin of their debug files
     * @param limit most builds on each side
     */
    public List<ComparableBuild> find(BuildId id, Likeness like, int rank, int limit) {
        return jdbc.sql("(" + SELECT + " and i.version_order < :version order by i.version_order desc limit :limit)"
                        + " union all (" + SELECT
                        + " and i.version_order >= :version order by i.version_order limit :limit)")
                .param("id", id.toBytes())
                .param("project", like.project())
                .param("rank", rank)
                .param("machine", IdentityWords.machine(like.machine()))
                .param("version", IdentityOrder.versionOrder(like.version()))
                .param("series", IdentityOrder.series(like.version()))
                .param("afterSeries", IdentityOrder.series(like.version()) + '\uffff')
                .param(
                        "variants",
                        JSON.writeValueAsString(like.variants().stream()
                                .map(value -> List.of("variant", value))
                                .toList()))
                .param("limit", limit)
                .query((row, number) -> similar(row))
                .list();
    }

    /**
     * Returns the stored build of the same library or program, architecture and options with the newest earlier version. If there
     * is none, and the build begins a series, which may bring or remove options, the newest earlier version of any options counts.
     * Among those of one version, one with the most equal variants comes first, and then one with as many items of the set.
     *
     * @param coverage of the set by the build
     * @param limit most builds that are looked at
     */
    public Optional<ComparableBuild> previous(ComparableBuild build, SetCoverage coverage, int limit) {
        if (!IdentityOrder.namesFile(build.identity())) {
            return previousOfPackage(build, coverage, limit);
        }
        String set = coverage.set();
        Set<String> variants = build.variants(set);
        List<ComparableBuild> earlier =
                alike(build, set, sameFamily(build, coverage, "i.version_order < this.version_order", limit));
        return earlier.stream()
                .filter(other -> versionOrder(other).equals(versionOrder(earlier.getFirst())))
                .max(Comparator.comparingLong(other ->
                        other.variants(set).stream().filter(variants::contains).count()));
    }

    /** Returns those with the options of a build; all, if there is none and the build begins a series. */
    private static List<ComparableBuild> alike(ComparableBuild build, String set, List<ComparableBuild> earlier) {
        List<ComparableBuild> alike = earlier.stream()
                .filter(other -> other.options(set).equals(build.options(set)))
                .toList();
        boolean beginsSeries =
                earlier.stream().noneMatch(other -> other.series().equals(build.series()));
        return alike.isEmpty() && beginsSeries ? earlier : alike;
    }

    /**
     * Returns the build before one whose names tell its package or project only, which has other files. The set tells them apart:
     * it must apply to a single file of each version that was compiled in such a folder. Else this may be another file, and a
     * comparison with that one is worse than none.
     */
    private Optional<ComparableBuild> previousOfPackage(ComparableBuild build, SetCoverage coverage, int limit) {
        if (coverage.required().found() * 2 < coverage.required().of()) {
            return Optional.empty();
        }
        List<ComparableBuild> inFolder = sameFamily(
                        build,
                        coverage,
                        "i.version_order <= this.version_order and i.build_id <> this.build_id"
                                + " and exists (select from jsonb_array_elements(i.coverage) as c"
                                + " where c ->> 0 = :name and cast(c ->> 1 as int) * 2 >= cast(c ->> 2 as int))",
                        limit)
                .stream()
                .filter(other -> !IdentityOrder.namesFile(other.identity())
                        && folder(other).equals(folder(build)))
                .toList();
        List<ComparableBuild> files = alike(build, coverage.set(), inFolder);
        String newest = files.isEmpty() ? "" : versionOrder(files.getFirst());
        boolean alone = !newest.equals(versionOrder(build))
                && files.stream()
                                .filter(other -> versionOrder(other).equals(newest))
                                .count()
                        == 1;
        return alone ? Optional.of(files.getFirst()) : Optional.empty();
    }

    private static String versionOrder(ComparableBuild build) {
        return IdentityOrder.versionOrder(build.identity()).orElse("");
    }

    private static String folder(ComparableBuild build) {
        return build.identity()
                .first(IdentityField.Kind.COMPILATION_DIRECTORY)
                .map(IdentityOrder::withoutNumbers)
                .orElse("");
    }

    /**
     * Returns stored builds of the same family and architecture, the newest version first.
     *
     * @param condition in SQL, of builds {@code i} by {@code this} one
     */
    private List<ComparableBuild> sameFamily(ComparableBuild build, SetCoverage coverage, String condition, int limit) {
        return jdbc
                .sql(COLUMNS + """
                        from build_identities this
                            join build_identities i on i.family = this.family and i.machine = this.machine
                                and %s
                            join builds b on b.build_id = i.build_id join debug_files f on f.build_id = i.build_id
                        where this.build_id = :id and i.coverage @> cast(:set as jsonb)
                            and b.state = 'extracted' and f.symbol_count is null
                            and not exists (select from shared_build_ids s where s.build_id = i.build_id)
                        order by i.version_order desc, i.coverage @> cast(:coverage as jsonb) desc, b.settled_at desc, i.build_id
                        limit :limit
                        """.formatted(condition))
                .param("id", build.id().toBytes())
                .param("name", coverage.set())
                .param("set", JSON.writeValueAsString(List.of(List.of(coverage.set()))))
                .param("coverage", JSON.writeValueAsString(List.of(Identities.stored(coverage))))
                .param("limit", limit)
                .query((row, number) -> similar(row))
                // A stream of rows would keep its connection.
                .list()
                .stream()
                .filter(other -> other.architecture().equals(build.architecture()))
                .toList();
    }

    /** Returns a stored build; empty if no types of it are stored. */
    public Optional<ComparableBuild> find(BuildId id) {
        return jdbc.sql(COLUMNS + """
                        from build_identities i join builds b using (build_id) join debug_files f using (build_id)
                        where i.build_id = :id and b.state = 'extracted' and f.symbol_count is null
                        """)
                .param("id", id.toBytes())
                .query((row, number) -> similar(row))
                .optional();
    }

    private static ComparableBuild similar(ResultSet row) throws SQLException {
        return new ComparableBuild(
                BuildId.of(row.getBytes("build_id")),
                row.getLong("generation"),
                row.getString("title"),
                Origin.ofWord(row.getString("origin")),
                HexFormat.of().formatHex(row.getBytes("sha256")),
                row.getString("uploader"),
                Identities.identity(row.getString("fields")),
                BuildRow.architecture(row));
    }
}
