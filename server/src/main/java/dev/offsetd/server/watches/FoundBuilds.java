package dev.offsetd.server.watches;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.packages.repositories.PackageFile;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.offsets.BuildCoverage;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.ClaimedName;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.DebugFileReader;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.builds.extraction.SourcePreview;
import dev.offsetd.server.builds.identity.ExecutableNames;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.typesets.TypeSets;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Builds in what watches read: whether a type set applies to one, and what stores it. */
@Component
class FoundBuilds {

    private static final Logger log = LoggerFactory.getLogger(FoundBuilds.class);

    private static final TypeIndex NO_TYPES = new TypeCatalogue(List.of(), List.of());

    /** Steps of a search for the symbols of the sets. */
    private static final long MAX_STEPS = 10_000_000;

    /** How long a file waits for a share of the heap. */
    private static final DebugFileReader.Turn TURN = DebugFileReader.Turn.within(Duration.ofMinutes(5));

    private final TypeSets sets;
    private final ExecutableNames names;
    private final BuildCoverage coverage;
    private final Builds builds;
    private final Extractions extractions;
    private final FoundFiles files;
    private final DebugFileReader reader;
    private final SourcePreview preview;
    private final WatchWeb web;

    FoundBuilds(
            TypeSets sets,
            ExecutableNames names,
            BuildCoverage coverage,
            Builds builds,
            Extractions extractions,
            FoundFiles files,
            DebugFileReader reader,
            SourcePreview preview,
            WatchWeb web) {
        this.sets = sets;
        this.names = names;
        this.coverage = coverage;
        this.builds = builds;
        this.extractions = extractions;
        this.files = files;
        this.reader = reader;
        this.preview = preview;
        this.web = web;
    }

    /**
     * Stores a build to which one of the sets applies, if a source has it. Its types are looked at before, because the sources
     * have builds of all programs.
     *
     * @return whether a set applies; empty if no source has a file that tells
     * @throws BusyException if the server is overloaded
     */
    Optional<Boolean> takeFromSource(Watch watch, BuildId id) throws InterruptedException {
        Optional<Build> stored = stored(id);
        if (stored.isPresent()) {
            return Optional.of(applies(watch, stored.get()));
        }
        Optional<Boolean> applies = Optional.empty();
        Optional<SourcePreview.Opened> found = preview.open(id, web::count);
        if (found.isPresent()) {
            try (SourcePreview.Opened opened = found.get()) {
                CachedFile supplementary = opened.supplementary();
                applies = applies(watch, opened.file().path(), supplementary == null ? null : supplementary.path());
            } catch (IOException | ExtractionException e) {
                log.info("build {}: the file of a source does not tell whether a set applies: {}", id, e.getMessage());
            }
        }
        return applies.isPresent() && applies.get() && !ask(id) ? Optional.empty() : applies;
    }

    private Optional<Build> stored(BuildId id) {
        return builds.find(id).filter(build -> build.file() != null);
    }

    /** Asks the sources for a build, and returns whether it is stored. */
    private boolean ask(BuildId id) throws InterruptedException {
        if (stored(id).isPresent()) {
            return true;
        }
        StoredFile file = extracted(id).file();
        web.count(file == null ? 0 : file.fetchedBytes());
        return file != null;
    }

    private Build extracted(BuildId id) throws InterruptedException {
        try {
            return switch (extractions.request(id)) {
                case BuildStatus.Settled(Build build) -> build;
                case BuildStatus.InProgress running -> running.result().get();
            };
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException("build " + id + " cannot be extracted", e.getCause());
        }
    }

    private boolean applies(Watch watch, Build stored) {
        return watch.typeSets().stream()
                .anyMatch(set ->
                        coverage.ofSet(stored, set).filter(FoundBuilds::applies).isPresent());
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
        boolean applies = elf.hasTypes()
                ? applies(watch, found.file(), found.supplementary()).orElse(false)
                : appliesByName(watch, found);
        if (!applies) {
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

    /** Returns whether one of the sets applies to a file; empty if it lacks a part that may tell. */
    private Optional<Boolean> applies(Watch watch, Path file, @Nullable Path supplementary)
            throws IOException, ExtractionException, InterruptedException {
        // One by one, because the items of all sets may exceed the limit of a query.
        List<Expansion> expansions = watch.items().stream()
                .map(item -> sets.expand(QueryParameters.parse(List.of(item))))
                .toList();
        List<Item> items =
                expansions.stream().flatMap(each -> each.items().stream()).toList();
        Set<String> names = new HashSet<>(Item.names(items, Item::simpleTypeNames));
        TypeCatalogue types;
        boolean more;
        do {
            types = reader.readTypes(
                    file,
                    supplementary,
                    new RequestedNames(
                            names,
                            Item.names(items, Item::typeNames),
                            Item.names(items, Item::enumeratorNames),
                            Item.names(items, item -> item.rootVariableNames(NO_TYPES))),
                    TURN);
            ItemResolver resolver = new ItemResolver(BuildContents.ofTypes(types), null);
            List<Expansion.Answers> answers = expansions.stream()
                    .map(each -> each.answer(resolver::resolve))
                    .toList();
            // Only the types before a pointer say what is behind it.
            more = names.addAll(resolver.namesBehindPointers());
            if (!more
                    && (items.stream().anyMatch(Item::needsSymbols)
                            || answers.stream().anyMatch(Expansion.Answers::areOfVariables))) {
                ItemResolver withSymbols = new ItemResolver(new BuildContents(types, symbols(file)), null);
                answers = expansions.stream()
                        .map(each -> each.answer(withSymbols::resolve))
                        .toList();
            }
            if (answers.stream().anyMatch(FoundBuilds::applies)) {
                return Optional.of(true);
            }
        } while (more);
        return types.omissions().isEmpty() ? Optional.of(false) : Optional.empty();
    }

    private static boolean applies(Expansion.Answers answers) {
        return answers.items().stream()
                .anyMatch(answer -> answer.outcome() instanceof ItemOutcome.SetFound set && applies(set.coverage()));
    }

    private @Nullable SymbolSearch symbols(Path file) throws IOException, InterruptedException {
        return reader.readSymbols(file, TURN)
                .map(read -> StoredSymbols.of(read.symbols()))
                .map(symbols -> new SymbolSearch(symbols, symbols.tls().orElse(null), new SearchBudget(MAX_STEPS)))
                .orElse(null);
    }

    /** Returns whether a stripped program states a version of a runtime as one of the sets expects it. */
    private boolean appliesByName(Watch watch, PackageFile found)
            throws IOException, ExtractionException, InterruptedException {
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
