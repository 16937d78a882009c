package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.extraction.DebugFileReader.ExtractedContent;
import dev.offsetd.server.builds.identity.ExecutableFacts;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.NewBlob;
import dev.offsetd.server.storage.SymbolTables;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/** Stores the content of files: types, symbols and identities. */
@Component
public class ContentStore {

    private final Identities identities;
    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final KeptUploads kept;

    private final MeterRegistry meters;

    ContentStore(
            Identities identities,
            Catalogues catalogues,
            SymbolTables symbolTables,
            KeptUploads kept,
            MeterRegistry meters) {
        this.identities = identities;
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.kept = kept;
        this.meters = meters;
        for (Omission.Part part : Omission.Part.values()) {
            for (Omission.Cause cause : Omission.Cause.values()) {
                var _ = omissions(part, cause);
            }
        }
    }

    private Counter omissions(Omission.Part part, Omission.Cause cause) {
        return Counter.builder("offsetd.extraction.omissions")
                .description("Parts of debug files that were left out because of a fault")
                .tag("part", part.word())
                .tag("cause", cause.word())
                .register(meters);
    }

    /**
     * Content whose types and symbols are in the object store, if they belong there.
     *
     * @param derived stores what is derived from the types
     */
    public record Prepared(ExtractedContent content, NewBlob catalogue, NewBlob symbols, Runnable derived) {}

    /** Stores names and facts of a build without types. Part of the caller's transaction. */
    void storeNames(BuildId id, AttemptResult.StrippedProgram program) {
        identities.add(id, program.architecture(), program.identity());
        identities.storeExecutable(id, program.facts());
    }

    /** Does the slow part of the work, for which the caller must not have a transaction. */
    public Prepared prepare(BuildId id, ExtractedContent content) {
        return new Prepared(
                content,
                catalogues.prepare(content.catalogue()),
                symbolTables.prepare(content.symbols()),
                catalogues.derived(id, content.catalogue()));
    }

    /** Stores the content of a file as that of its build. Part of the transaction in which the caller ends the lease. */
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
        prepared.derived().run();
        symbolTables.store(id, prepared.symbols());
        kept.dropOthers(id, file.sha256());
        prepared.content()
                .omissions()
                .forEach(
                        omission -> omissions(omission.part(), omission.cause()).increment((double) omission.count()));
    }
}
