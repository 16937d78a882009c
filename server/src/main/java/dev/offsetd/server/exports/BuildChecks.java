package dev.offsetd.server.exports;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.answer.CheckReport;
import dev.offsetd.query.check.Check;
import dev.offsetd.query.check.ExpansionCheck;
import dev.offsetd.query.check.ProgramCheck;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Shares;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.ItemResolution;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.identity.BuildFilter;
import dev.offsetd.server.builds.identity.FilteredBuilds;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Checks whether a BPF program, a type set or a name map works with the stored builds that a search finds. */
@Component
public class BuildChecks {

    /** Marks the cursors of checks. */
    private static final char LIST = 'k';

    /** Time after which the client has to ask for the other builds. */
    private static final Duration ENOUGH = Duration.ofSeconds(20);

    /** Characters of findings after which it has to. */
    private static final long ENOUGH_CHARACTERS = 4 << 20;

    /** Heap for the findings of one request, and for those of the build that made them enough. */
    private static final long BYTES_OF_EACH = 4 * ENOUGH_CHARACTERS;

    private static final int MOST = 64;

    private static final String MAP = "map";
    private static final String REFERENCE = "reference";
    private static final String STRICT = "strict";
    private static final String MACHINE = "machine";

    public static final Set<String> PARAMETERS = Set.of("q", MACHINE, QueryParameters.TYPES, MAP, REFERENCE, STRICT);

    private final Shares shares =
            new Shares("checks", Math.clamp(Runtime.getRuntime().maxMemory() / 8 / BYTES_OF_EACH, 2, MOST));
    private final BpfObjects objects;
    private final TypeSets sets;
    private final FilteredBuilds builds;
    private final Identities identities;
    private final ItemResolution items;
    private final BuildQueries queries;
    private final BuildKeys keys;

    BuildChecks(
            BpfObjects objects,
            TypeSets sets,
            FilteredBuilds builds,
            Identities identities,
            ItemResolution items,
            BuildQueries queries,
            BuildKeys keys) {
        this.objects = objects;
        this.sets = sets;
        this.builds = builds;
        this.identities = identities;
        this.items = items;
        this.queries = queries;
        this.keys = keys;
    }

    /**
     * Results in a part of the builds.
     *
     * @param next path and query string of the next part; null if this is the last
     */
    public record Checked(CheckReport report, @Nullable String next) {}

    /**
     * Checks what the parameters of a request name, or the BPF program in its body.
     *
     * @param rendering keeps no findings, so that their place is free for other requests
     * @return empty if the reference build is not extracted yet
     * @throws ProblemException if a parameter or the body cannot be read, a build or set is unavailable, or the places for findings
     *     are taken (503)
     */
    public <R> Optional<R> check(ListQuery list, HttpServletRequest request, Function<Checked, R> rendering)
            throws IOException {
        BuildFilter filter = BuildFilter.of(
                        BuildState.EXTRACTED.word(),
                        null,
                        list.filter(MACHINE).orElse(null),
                        list.filter("q").orElse(""),
                        _ -> Optional.empty())
                .orElseThrow(() -> ListQuery.badValue("q", list.parameter("q").orElse(""), "words of a build's name"));
        boolean strict = list.flag(STRICT).orElse(false);
        BuildId after = list.buildPosition(LIST).orElse(null);
        Check check = hasItems(list) ? ofSet(list, request) : ofProgram(list, request);
        if (check == null) {
            return Optional.empty();
        }
        try (Shares.Place _ = shares.take(Caller.of(request))) {
            return Optional.of(rendering.apply(checked(list, filter, after, check, strict)));
        }
    }

    private Checked checked(ListQuery list, BuildFilter filter, @Nullable BuildId after, Check check, boolean strict) {
        ListPage<Build> page = ListPage.read(
                list,
                LIST,
                limit -> builds.page(filter, after, limit),
                build -> build.id().toBytes());
        String next = page.next();
        long began = System.nanoTime();
        long characters = 0;
        List<CheckReport.Row> rows = new ArrayList<>();
        for (Build build : page.rows()) {
            CheckReport.Row row = row(build, check);
            rows.add(row);
            characters += row.characters();
            if (rows.size() < page.rows().size()
                    && (characters > ENOUGH_CHARACTERS || System.nanoTime() - began > ENOUGH.toNanos())) {
                next = list.next(LIST, build.id().toBytes());
                break;
            }
        }
        return new Checked(new CheckReport(rows, strict), next);
    }

    /** Returns whether a request names items; else its body is a program. */
    public static boolean hasItems(ListQuery list) {
        return list.filter(QueryParameters.TYPES).isPresent();
    }

    private ProgramCheck ofProgram(ListQuery list, HttpServletRequest request) throws IOException {
        for (String name : List.of(MAP, REFERENCE)) {
            list.filter(name).ifPresent(value -> {
                throw ListQuery.badValue(name, value, "none without types=@SET");
            });
        }
        return objects.check(request);
    }

    /** Returns the check of a type set or name map; null if the reference build is not extracted yet. */
    private @Nullable Check ofSet(ListQuery list, HttpServletRequest request) {
        if (request.getContentLengthLong() > 0) {
            throw JsonBody.bad("body", "the request has types and a body; expected one of them");
        }
        List<Item> sent = QueryParameters.parse(
                QueryParameters.split(List.of(list.filter(QueryParameters.TYPES).orElseThrow())));
        String map = list.filter(MAP).orElse(null);
        Expansion expansion = map == null ? sets.expand(sent) : sets.expandMap(sent, map);
        ExpansionCheck check = new ExpansionCheck(expansion);
        if (list.filter(REFERENCE).isEmpty()) {
            return check;
        }
        Optional<BuildAccess.Stored> stored = queries.stored(reference(list, request));
        return stored.isEmpty() ? null : reading(stored.get().build(), check, check::against);
    }

    BuildRequest reference(ListQuery list, HttpServletRequest request) {
        return new BuildRequest(
                keys.resolve(list.filter(REFERENCE).orElseThrow()),
                Caller.of(request),
                BuildRequest.Part.TYPES,
                Wait.of(request),
                null);
    }

    private CheckReport.Row row(Build build, Check check) {
        String title = identities.find(build.id()).orElse(Identity.UNKNOWN).title();
        try {
            return new CheckReport.Row(build.id().toString(), title, reading(build, check, check::findings), null);
        } catch (CorruptBlobException e) {
            return new CheckReport.Row(
                    build.id().toString(), title, List.of(), "another version of the server has stored it");
        }
    }

    /** @param work takes the types, and what reads the symbols */
    private <T> T reading(Build build, Check check, BiFunction<TypeIndex, Supplier<@Nullable SymbolSearch>, T> work) {
        StoredCatalogue types = items.open(build);
        return items.reading(types, check.items(), () -> {
            Optional<TypeIndex> pinned = items.pinsInEffect(build).over(types).index();
            return work.apply(pinned.orElse(types), () -> items.symbols(build));
        });
    }
}
