package dev.offsetd.server.admin.builds;

import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.SymbolTables;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** Stored types and symbols of builds, for pages: never waits for an extraction. */
@Component
public class BuildTypes {

    private static final Logger log = LoggerFactory.getLogger(BuildTypes.class);

    private final Catalogues catalogues;
    private final SymbolTables symbols;
    private final ComputePool threads;

    BuildTypes(Catalogues catalogues, SymbolTables symbols, @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.threads = threads;
        this.catalogues = catalogues;
        this.symbols = symbols;
    }

    /**
     * Reads types of a build, once there is heap for it.
     *
     * @param most types read with their layouts
     * @return empty if none are stored or they are corrupt; the next request for the build extracts them again
     */
    public <T> Optional<T> read(Build build, int most, Function<StoredCatalogue, T> reading) {
        if (build.state() != BuildState.EXTRACTED) {
            return Optional.empty();
        }
        try {
            StoredCatalogue stored = catalogues.open(build.id(), build.generation());
            return Optional.of(catalogues.reading(stored, most, () -> threads.answer(() -> reading.apply(stored))));
        } catch (CorruptBlobException e) {
            log.warn("build {}: the types cannot be shown: {}", build.id(), e.getMessage());
            return Optional.empty();
        }
    }

    /** Counts the stored symbols of a build; null if none are stored or they are corrupt. */
    @Nullable
    Long symbolCount(Build build) {
        if (build.symbolsFile().isEmpty()) {
            return null;
        }
        try {
            return (long) symbols.open(build.id(), build.generation()).count();
        } catch (CorruptBlobException e) {
            log.warn("build {}: the symbols cannot be counted: {}", build.id(), e.getMessage());
            return null;
        }
    }
}
