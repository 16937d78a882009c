package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.server.builds.BuildStates;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.extraction.DebugFileReader.ExtractedContent;
import dev.offsetd.server.builds.identity.ExecutableFacts;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.lease.Lease;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.NewBlob;
import dev.offsetd.server.storage.SymbolTables;
import java.util.List;
import org.springframework.stereotype.Component;

/** Stores the content of files: types, symbols and identities. */
@Component
public class ContentStore {

    private final BuildStates states;
    private final Identities identities;
    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final KeptUploads kept;

    ContentStore(
            BuildStates states,
            Identities identities,
            Catalogues catalogues,
            SymbolTables symbolTables,
            KeptUploads kept) {
        this.states = states;
        this.identities = identities;
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.kept = kept;
    }

    /** Content whose types and symbols are in the object store, if they belong there. */
    public record Prepared(ExtractedContent content, NewBlob catalogue, NewBlob symbols) {}

    /** Prepares symbols that are stored without types, as {@link #prepare} does. */
    NewBlob prepareSymbols(byte[] symbols) {
        return symbolTables.prepare(symbols);
    }

    /** Stores symbols without types. Part of the caller's transaction. */
    void storeSymbols(BuildId id, NewBlob symbols) {
        symbolTables.store(id, symbols);
    }

    /** Stores names and facts of a build without types. Part of the caller's transaction. */
    void storeNames(BuildId id, AttemptResult.StrippedProgram program) {
        identities.add(id, program.architecture(), program.identity());
        identities.storeExecutable(id, program.facts());
    }

    /** Does the slow part of the work, for which the caller must not have a transaction. */
    public Prepared prepare(ExtractedContent content) {
        return new Prepared(content, catalogues.prepare(content.catalogue()), symbolTables.prepare(content.symbols()));
    }

    /**
     * Stores the content of a file as that of its build, and ends the lease. Part of the caller's transaction.
     *
     * @param outcomes of the sources that were queried
     */
    public void store(Lease lease, StoredFile file, Prepared prepared, List<SourceOutcome> outcomes) {
        Identity identity = prepared.content().identity();
        boolean isNew = states.extracted(lease, file, identity.title(), outcomes);
        identities.store(lease.id(), file.architecture(), identity);
        ExecutableFacts program = prepared.content().program();
        if (program != null) {
            identities.storeExecutable(lease.id(), program);
        }
        if (isNew) {
            identities.requestComparison(lease.id());
        }
        catalogues.store(lease.id(), prepared.catalogue());
        symbolTables.store(lease.id(), prepared.symbols());
        kept.dropOthers(lease.id(), file.sha256());
    }
}
