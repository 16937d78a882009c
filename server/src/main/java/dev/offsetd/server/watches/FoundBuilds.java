package dev.offsetd.server.watches;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.packages.repositories.PackageFile;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.offsets.BuildCoverage;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.ClaimedName;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.DebugFileReader;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.builds.identity.ExecutableNames;
import dev.offsetd.server.typesets.TypeSets;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.springframework.stereotype.Component;

/** Builds in what watches read: whether a type set applies to one, and what stores it. */
@Component
class FoundBuilds {

    /** How long a file waits for a share of the heap. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final TypeSets sets;
    private final ExecutableNames names;
    private final BuildCoverage coverage;
    private final Builds builds;
    private final Extractions extractions;
    private final FoundFiles files;
    private final DebugFileReader reader;

    FoundBuilds(
            TypeSets sets,
            ExecutableNames names,
            BuildCoverage coverage,
            Builds builds,
            Extractions extractions,
            FoundFiles files,
            DebugFileReader reader) {
        this.sets = sets;
        this.names = names;
        this.coverage = coverage;
        this.builds = builds;
        this.extractions = extractions;
        this.files = files;
        this.reader = reader;
    }

    /**
     * Asks the sources for a build.
     *
     * @return whether it is stored
     * @throws BusyException if the server is overloaded
     */
    boolean ask(BuildId id) throws InterruptedException {
        try {
            return switch (extractions.request(id)) {
                case BuildStatus.Settled(Build build) -> build.file() != null;
                case BuildStatus.Busy(var retryAfter) -> throw new BusyException(retryAfter);
                case BuildStatus.InProgress running -> running.result().get().file() != null;
            };
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException("build " + id + " cannot be extracted", e.getCause());
        }
    }

    /** Returns whether one of the sets applies to a stored build. */
    boolean applies(Watch watch, BuildId id) {
        return builds.find(id)
                .filter(build -> build.file() != null)
                .filter(build -> watch.typeSets().stream()
                        .anyMatch(set -> coverage.ofSet(build, set)
                                .filter(FoundBuilds::applies)
                                .isPresent()))
                .isPresent();
    }

    /**
     * Returns whether a type set applies. A set shares some types with whatever is compiled against the headers of its runtime,
     * such as an extension, and a release may have lost some: half of the required ones decide.
     */
    static boolean applies(Coverage coverage) {
        Coverage.Share share = coverage.required().of() > 0 ? coverage.required() : coverage.optional();
        return share.found() > 0 && share.found() * 2 >= share.of();
    }

    /**
     * Stores the build of a file to which one of the sets applies: from a source if one has it, else from the file.
     *
     * @return whether a set applies
     * @throws ExtractionException if the file is unusable
     * @throws BusyException if the server is overloaded
     */
    boolean take(Watch watch, PackageFile found) throws IOException, ExtractionException, InterruptedException {
        ElfFacts elf = found.elf();
        BuildId id = found.buildId();
        if (!(elf.hasTypes() ? appliesByTypes(watch, found) : appliesByName(watch, found))) {
            return false;
        }
        if (!ask(id)) {
            if (elf.hasTypes()) {
                files.store(found, watch.name());
            } else {
                ClaimedName.of(found.place(), ClaimedName.By.PREWARM)
                        .ifPresent(name -> builds.storeClaimedNames(Map.of(id, name)));
            }
        }
        return true;
    }

    private boolean appliesByTypes(Watch watch, PackageFile found)
            throws IOException, ExtractionException, InterruptedException {
        Expansion expansion = sets.expand(QueryParameters.parse(watch.items()));
        BuildContents contents = BuildContents.ofTypes(reader.readTypes(
                found.file(),
                found.supplementary(),
                new RequestedNames(
                        expansion.simpleTypeNames(), expansion.typeNames(), expansion.enumeratorNames(), Set.of()),
                PATIENCE));
        return expansion.answer(item -> ItemResolver.resolve(item, contents, null)).items().stream()
                .anyMatch(answer -> answer.outcome() instanceof ItemOutcome.SetFound set && applies(set.coverage()));
    }

    /** Returns whether a stripped program states a version of a runtime as one of the sets expects it. */
    private boolean appliesByName(Watch watch, PackageFile found) throws IOException, ExtractionException {
        List<TypeSet> wanted = watch.typeSets().stream()
                .map(name -> sets.require(name).document().set())
                .toList();
        List<String> sources = wanted.stream()
                .flatMap(set -> set.probes().stream())
                .map(probe -> probe.source())
                .toList();
        Identity identity = names.of(found.file(), wanted);
        return identity.fields().stream().anyMatch(field -> sources.contains(field.source()));
    }
}
