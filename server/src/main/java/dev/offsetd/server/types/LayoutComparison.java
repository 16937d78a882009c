package dev.offsetd.server.types;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.catalogues.Catalogues;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.query.BuildQueries;
import dev.offsetd.server.query.ParallelTasks;
import dev.offsetd.server.query.PinnedAnswer;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Opens the types of two builds for comparison. A problem states which of the builds it is about. */
@Component
public class LayoutComparison {

    static final String FROM = "from";
    static final String TO = "to";

    private final BuildQueries builds;
    private final Catalogues catalogues;
    private final TypeSets sets;
    private final Pins pins;

    LayoutComparison(BuildQueries builds, Catalogues catalogues, TypeSets sets, Pins pins) {
        this.builds = builds;
        this.catalogues = catalogues;
        this.sets = sets;
        this.pins = pins;
    }

    /**
     * Types of one of the builds with its pins, valid while they are read.
     *
     * @param file that the types come from; empty if the build has only pins
     * @param extractedNames reads the qualified names of its extracted types
     */
    public record ComparedBuild(
            BuildId id,
            PinnedTypes pinned,
            Optional<StoredFile> file,
            BuildPins pins,
            Supplier<Set<String>> extractedNames) {

        public TypeIndex types() {
            return pinned.index().orElse(pinned);
        }
    }

    public record ComparedBuilds(ComparedBuild from, ComparedBuild to) {}

    /**
     * Returns the items to compare: the items of type sets in place of the sets, without items that have no layout.
     *
     * @throws ProblemException if a set is unknown (400), or the result is too long (413)
     */
    public List<Item> items(List<Item> sent) {
        if (sent.stream().allMatch(item -> item.setName().isEmpty())) {
            return sent;
        }
        return sets.expand(sent).comparable();
    }

    /**
     * Waits for both builds in parallel.
     *
     * @return a build that takes longer; empty if both are extracted
     * @throws ProblemException if one of them is unavailable: 404, 422 or 5xx
     */
    public Optional<BuildId> inProgress(BuildId from, BuildId to, Duration wait) {
        List<Boolean> ready = ParallelTasks.all(List.of(() -> isReady(FROM, from, wait), () -> isReady(TO, to, wait)));
        return ready.contains(false) ? Optional.of(ready.getFirst() ? to : from) : Optional.empty();
    }

    private boolean isReady(String side, BuildId id, Duration wait) {
        return about(
                side,
                id,
                () -> builds.answerOrPinned(
                                id,
                                wait,
                                (build, file) -> true,
                                // Reading decides whether the pins suffice, so a missing item is counted once.
                                build -> new PinnedAnswer<>(true, true))
                        .isPresent());
    }

    /**
     * Reads two extracted builds while heap is reserved for them.
     *
     * @param types limit of compared types per build
     * @return empty if one of them is corrupt and is extracted again
     */
    public <T> Optional<T> read(BuildId from, BuildId to, int types, Function<ComparedBuilds, T> reading) {
        return about(
                        FROM,
                        from,
                        () -> builds.answerOrPinned(
                                from,
                                Duration.ZERO,
                                (build, file) -> {
                                    try {
                                        FirstTypes old = FirstTypes.of(() -> catalogues.open(from, build.generation()));
                                        return read(
                                                stored(build, file, old, old::qualifiedNames),
                                                List.of(old.stored()),
                                                to,
                                                types,
                                                reading);
                                    } catch (FirstTypes.CorruptException e) {
                                        throw e.corrupt();
                                    }
                                },
                                build -> new PinnedAnswer<>(read(pinned(build), List.of(), to, types, reading), false)))
                .flatMap(Function.identity());
    }

    private <T> Optional<T> read(
            ComparedBuild from,
            List<StoredCatalogue> opened,
            BuildId to,
            int types,
            Function<ComparedBuilds, T> reading) {
        return about(
                TO,
                to,
                () -> builds.answerOrPinned(
                        to,
                        Duration.ZERO,
                        (build, file) -> {
                            StoredCatalogue now = catalogues.open(to, build.generation());
                            List<StoredCatalogue> both = new ArrayList<>(opened);
                            both.add(now);
                            return catalogues.comparing(
                                    both,
                                    types,
                                    () -> reading.apply(
                                            new ComparedBuilds(from, stored(build, file, now, now::qualifiedNames))));
                        },
                        build -> new PinnedAnswer<>(
                                catalogues.comparing(
                                        opened, types, () -> reading.apply(new ComparedBuilds(from, pinned(build)))),
                                false)));
    }

    private ComparedBuild stored(Build build, StoredFile file, TypeIndex types, Supplier<Set<String>> names) {
        BuildPins inEffect = pins.inEffect(build);
        return new ComparedBuild(build.id(), inEffect.over(Optional.of(types)), Optional.of(file), inEffect, names);
    }

    private ComparedBuild pinned(Build build) {
        BuildPins inEffect = pins.inEffect(build);
        return new ComparedBuild(build.id(), inEffect.over(Optional.empty()), Optional.empty(), inEffect, Set::of);
    }

    /** Returns the result of the work. A problem states which of the builds it is about. */
    static <T> T about(String side, @Nullable BuildId id, Supplier<T> work) {
        try {
            return work.get();
        } catch (ProblemException e) {
            Problem problem = e.problem().with("side", side);
            throw new ProblemException(id == null ? problem : problem.with("buildId", id.toString()));
        }
    }
}
