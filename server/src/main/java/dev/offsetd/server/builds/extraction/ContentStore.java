package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.extraction.DebugFileReader.ExtractedContent;
import dev.offsetd.server.builds.identity.ExecutableFacts;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.NewBlob;
import dev.offsetd.server.storage.SymbolTables;
import org.springframework.stereotype.Component;

/** Stores the content of files: types, symbols and identities. */
@Component
public class ContentStore {

    private final Identities identities;
    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final KeptUploads kept;

    ContentStore(Identities identities, Catalogues catalogues, SymbolTables symbolTables, KeptUploads kept) {
        this.identities = identities;
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.kept = kept;
    }

    /** Content whose types and symbols are in the object store, if they belong there. */
    public record Prepared(ExtractedContent content, NewBlob catalogue, NewBlob symbols) {}

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
     * Stores the content of a file as that of its build. Part of the transaction in which the caller ends the lease.
     *
     * @param isNew whether no types of the build were stored before
     */
    public void store(BuildId id, StoredFile file, Prepared prepared, boolean isNew) {
        identities.store(id, file.architecture(), prepared.content().identity());
        ExecutableFacts program = prepared.content().program();
        if (program != null) {
            identities.storeExecutable(id, program);
        }
        if (isNew) {
            identities.requestComparison(id);
        }
        catalogues.store(id, prepared.catalogue());
        symbolTables.store(id, prepared.symbols());
        kept.dropOthers(id, file.sha256());
    }
}
