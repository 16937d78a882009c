package dev.offsetd.server.answers.types;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.ParallelTasks;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** Opens the types of two builds for comparison. A problem states which of the builds it is about. */
@Component
public class LayoutComparison {

    static final String FROM = "from";
    static final String TO = "to";

    private final BuildQueries queries;
    private final Catalogues catalogues;
    private final TypeSets sets;
    private final Pins pins;
    private final ComputePool threads;

    LayoutComparison(
            BuildQueries queries,
            Catalogues catalogues,
            TypeSets sets,
            Pins pins,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.queries = queries;
        this.catalogues = catalogues;
        this.sets = sets;
        this.pins = pins;
        this.threads = threads;
    }

    /** One of the builds, with the name of its parameter. */
    record Side(String name, BuildRequest request, BuildAccess access) {}

    /**
     * Types of one of the builds with its pins, valid while they are read.
     *
     * @param file that the types come from; null if the build has only pins
     * @param extracted its types without pins; null if the build has only pins
     */
    public record ComparedBuild(
            Side side,
            PinnedTypes pinned,
            @Nullable StoredFile file,
            BuildPins pins,
            @Nullable StoredCatalogue extracted) {

        public BuildId id() {
            return side.request().id();
        }

        /** Returns the qualified names of its extracted types, each with the language that ranks first. */
        public Map<String, Language.Family> extractedNames() {
            Map<String, Language.Family> names = new HashMap<>();
            if (extracted != null) {
                extracted.forEachOutline(one -> names.merge(
                        one.qualifiedName(), one.language(), BinaryOperator.minBy(Comparator.naturalOrder())));
                names.remove("");
            }
            return names;
        }

        public TypeIndex types() {
            return pinned.index().orElse(pinned);
        }
    }

    /** Both builds, or the one whose extraction takes longer. */
    public sealed interface Opened {}

    public record ComparedBuilds(ComparedBuild from, ComparedBuild to) implements Opened {}

    public record InProgress(BuildRequest request) implements Opened {}

    /**
     * Returns the items to compare: the items of type sets in place of the sets, without items that have no layout.
     *
     * @throws ProblemException if a set is unknown (400), or the result is too long (413)
     */
    public List<Item> items(List<Item> sent) {
        return items(sets.expand(sent));
    }

    /** Returns the items of a query to compare, of which the expansion is known. */
    static List<Item> items(Expansion query) {
        return query.sent().stream().allMatch(item -> item.setName().isEmpty()) ? query.sent() : query.comparable();
    }

    /** Waits for both builds in parallel, and opens their types; 404, 422 or 5xx if one is unavailable. */
    public Opened open(BuildRequest from, BuildRequest to) {
        List<Side> sides = ParallelTasks.<Supplier<Side>, Side>all(
                List.of(() -> side(FROM, from), () -> side(TO, to)), Supplier::get);
        for (Side side : sides) {
            if (side.access() instanceof BuildAccess.InProgress) {
                return new InProgress(side.request());
            }
        }
        try {
            return new ComparedBuilds(open(sides.getFirst()), open(sides.getLast()));
        } catch (CorruptBlobException e) {
            return extractAgain(sides.getFirst(), sides.getLast(), e);
        }
    }

    private Side side(String name, BuildRequest request) {
        try {
            BuildAccess access = queries.access(request);
            if (access instanceof BuildAccess.Unavailable(Build build)) {
                throw queries.unavailable(build, request);
            }
            return new Side(name, request, access);
        } catch (ProblemException e) {
            throw about(name, request.id(), e);
        }
    }

    private ComparedBuild open(Side side) {
        return switch (side.access()) {
            case BuildAccess.Stored(Build build, StoredFile file) ->
                compared(side, pins.inEffect(build), file, catalogues.open(build.id(), build.generation()));
            case BuildAccess.OnlyPins(Build build, BuildPins inEffect) -> {
                queries.countMiss(build, side.request());
                try {
                    BuildQueries.requireSourcesAnswered(build);
                } catch (ProblemException e) {
                    throw about(side.name(), build.id(), e);
                }
                yield compared(side, inEffect, null, null);
            }
            case BuildAccess.Unavailable _, BuildAccess.InProgress _ ->
                throw new IllegalArgumentException("nothing to compare: " + side);
        };
    }

    private static ComparedBuild compared(
            Side side, BuildPins inEffect, @Nullable StoredFile file, @Nullable StoredCatalogue types) {
        return new ComparedBuild(side, inEffect.over(types), file, inEffect, types);
    }

    /**
     * Runs work that compares types of both builds when there is heap for it.
     *
     * @param types limit of compared types per build
     * @return empty if one of the builds is damaged and is extracted again
     */
    public <T> Optional<T> comparing(ComparedBuilds builds, int types, Supplier<T> work) {
        List<StoredCatalogue> opened = Stream.of(builds.from(), builds.to())
                .flatMap(build -> Stream.ofNullable(build.extracted()))
                .toList();
        try {
            return Optional.of(catalogues.comparing(opened, types, work));
        } catch (CorruptBlobException e) {
            var _ = extractAgain(builds.from().side(), builds.to().side(), e);
            return Optional.empty();
        }
    }

    /** Extracts the damaged one of two builds again. */
    private InProgress extractAgain(Side from, Side to, CorruptBlobException e) {
        Side damaged = isReadable(from.access()) ? to : from;
        try {
            var _ = queries.extractAgain(damaged.access(), damaged.request(), System.nanoTime(), e);
        } catch (ProblemException problem) {
            throw about(damaged.name(), damaged.request().id(), problem);
        }
        return new InProgress(from.request());
    }

    /** Reads all types of a build, because a damaged blob does not say which build it is of. */
    private boolean isReadable(BuildAccess access) {
        try {
            if (access instanceof BuildAccess.Stored(Build build, StoredFile _)) {
                StoredCatalogue types = catalogues.open(build.id(), build.generation());
                threads.answer(() -> {
                    types.readAll();
                    return true;
                });
            }
            return true;
        } catch (CorruptBlobException e) {
            return false;
        }
    }

    /** Returns a problem with the build that it is about. */
    static ProblemException about(String side, @Nullable BuildId id, ProblemException e) {
        Problem problem = e.problem().with("side", side);
        return new ProblemException(id == null ? problem : problem.with("buildId", id.toString()));
    }
}
