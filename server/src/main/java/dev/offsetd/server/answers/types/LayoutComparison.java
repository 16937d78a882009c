package dev.offsetd.server.answers.types;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.ParallelTasks;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
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
     * @param extracted its types without pins; empty if the build has only pins
     */
    public record ComparedBuild(
            BuildId id,
            PinnedTypes pinned,
            Optional<StoredFile> file,
            BuildPins pins,
            Optional<StoredCatalogue> extracted) {

        /** Returns the qualified names of its extracted types. */
        public Set<String> extractedNames() {
            return extracted.map(StoredCatalogue::qualifiedNames).orElse(Set.of());
        }

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
        return about(side, id, () -> switch (builds.access(id, BuildQueries.Part.TYPES, wait)) {
            // Reading decides whether the pins suffice, so a missing item is counted once.
            case BuildAccess.Stored _, BuildAccess.OnlyPins _ -> true;
            case BuildAccess.InProgress _ -> false;
            case BuildAccess.Unavailable(Build build) -> throw builds.unavailable(build);
        });
    }

    /**
     * Reads two extracted builds while heap is reserved for them.
     *
     * @param types limit of compared types per build
     * @return empty if one of them is corrupt and is extracted again
     */
    public <T> Optional<T> read(BuildId from, BuildId to, int types, Function<ComparedBuilds, T> reading) {
        BuildAccess.Settled accessFrom =
                about(FROM, from, () -> builds.access(from, BuildQueries.Part.TYPES, Duration.ZERO));
        BuildAccess.Settled accessTo = about(TO, to, () -> builds.access(to, BuildQueries.Part.TYPES, Duration.ZERO));
        try {
            Optional<ComparedBuild> one = about(FROM, from, () -> side(accessFrom));
            Optional<ComparedBuild> other = about(TO, to, () -> side(accessTo));
            if (one.isEmpty() || other.isEmpty()) {
                return Optional.empty();
            }
            List<StoredCatalogue> opened = Stream.of(one.get(), other.get())
                    .flatMap(side -> side.extracted().stream())
                    .toList();
            return Optional.of(catalogues.comparing(
                    opened, types, () -> reading.apply(new ComparedBuilds(one.get(), other.get()))));
        } catch (CorruptBlobException e) {
            if (isReadable(accessFrom)) {
                about(TO, to, () -> builds.extractAgain(accessTo, BuildQueries.Part.TYPES, Duration.ZERO, e));
            } else {
                about(FROM, from, () -> builds.extractAgain(accessFrom, BuildQueries.Part.TYPES, Duration.ZERO, e));
            }
            return Optional.empty();
        }
    }

    /** @return empty if the build is being extracted */
    private Optional<ComparedBuild> side(BuildAccess.Settled access) {
        return switch (access) {
            case BuildAccess.Stored(Build build, StoredFile file) ->
                Optional.of(
                        side(build, Optional.of(file), Optional.of(catalogues.open(build.id(), build.generation()))));
            case BuildAccess.OnlyPins(Build build) -> {
                builds.countMiss(build);
                yield Optional.of(side(build, Optional.empty(), Optional.empty()));
            }
            case BuildAccess.Unavailable(Build build) -> throw builds.unavailable(build);
            case BuildAccess.InProgress _ -> Optional.empty();
        };
    }

    private ComparedBuild side(Build build, Optional<StoredFile> file, Optional<StoredCatalogue> types) {
        BuildPins inEffect = pins.inEffect(build);
        return new ComparedBuild(build.id(), inEffect.over(types.map(Function.identity())), file, inEffect, types);
    }

    /** Reads all types of a build, because a damaged blob does not say which build it is of. */
    private boolean isReadable(BuildAccess.Settled access) {
        try {
            if (access instanceof BuildAccess.Stored(Build build, StoredFile _)) {
                catalogues.open(build.id(), build.generation()).readAll();
            }
            return true;
        } catch (CorruptBlobException e) {
            return false;
        }
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
