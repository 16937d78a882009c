package dev.offsetd.server.uploads.bundles;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.query.bundle.BuildArchive;
import dev.offsetd.query.bundle.BundledBuild;
import dev.offsetd.query.bundle.BundledPin;
import dev.offsetd.query.bundle.BundledSource;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.DebugFileReader.ExtractedContent;
import dev.offsetd.server.builds.extraction.DebugFileReader.SymbolContent;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.pins.PinDraft;
import dev.offsetd.server.pins.PinImport;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.uploads.ExtractedUploads;
import dev.offsetd.server.uploads.UploadOutcome;
import java.util.List;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/**
 * Stores builds of a bundle. They rank as uploads of the importer, so a file of a source replaces them. The pins are stored before
 * the types, in a transaction of their own: the types never answer without them.
 */
@Component
class ImportedBuilds {

    private final ExtractedUploads uploads;
    private final Pins pins;
    private final Identities identities;
    private final ComputePool threads;

    ImportedBuilds(
            ExtractedUploads uploads,
            Pins pins,
            Identities identities,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.uploads = uploads;
        this.pins = pins;
        this.identities = identities;
        this.threads = threads;
    }

    /** Result of an import. */
    record ImportResult(UploadOutcome stored, PinImport pins) {}

    /**
     * Stores a build and its pins, as far as they take precedence. Storing the same build again changes nothing.
     *
     * @param signer who signed the bundle, as the importer says
     * @throws dev.offsetd.query.store.CorruptBlobException if the types or symbols are corrupt; nothing is stored then
     * @throws BusyException if another worker holds the lease for too long
     */
    ImportResult importBuild(BuildArchive archive, String signer, Actor actor) throws InterruptedException {
        boolean hasTypes = archive.types().length > 0;
        boolean isFromProgram =
                hasTypes && threads.answer(() -> checked(archive.types()).isFromProgram());
        int symbols = archive.symbols().length > 0
                ? threads.answer(() -> StoredSymbols.of(archive.symbols()).count())
                : 0;
        BundledBuild build = archive.build();
        BuildId id = build.id();
        PinImport added = build.pins().isEmpty()
                ? new PinImport(0, List.of())
                : pins.add(id, build.pins().stream().map(pin -> pin(id, pin)).toList(), actor);
        Architecture architecture = build.architecture();
        BundledSource source = build.source();
        if (architecture == null || source == null) {
            return new ImportResult(
                    added.added() > 0 ? new UploadOutcome.Taken() : new UploadOutcome.SameFile(), added);
        }
        FileKeys keys = new FileKeys(build.aliases());
        StoredFile file =
                stored(architecture, source, new Upload(actor.caller().token(), signer, hasTypes && !isFromProgram, 0));
        if (!hasTypes) {
            SymbolContent content = new SymbolContent(architecture, archive.symbols(), symbols, List.of());
            UploadOutcome stored = uploads.storeSymbols(id, file, content, keys, actor);
            if (stored instanceof UploadOutcome.Taken) {
                identities.add(id, architecture, build.identity());
            }
            return new ImportResult(stored, added);
        }
        ExtractedContent content = new ExtractedContent(
                architecture,
                build.identity(),
                archive.types(),
                archive.symbols(),
                !isFromProgram,
                0,
                StoredCatalogue.of(archive.types()).omissions(),
                source.extractedAt(),
                null,
                null);
        return new ImportResult(uploads.store(id, file, content, keys, actor), added);
    }

    private static StoredCatalogue checked(byte[] blob) {
        StoredCatalogue types = StoredCatalogue.of(blob);
        types.forEachTypeName("", _ -> true);
        return types;
    }

    private static StoredFile stored(Architecture architecture, BundledSource source, Upload upload) {
        return new StoredFile(
                architecture,
                Origin.UPLOAD,
                Upload.BUNDLE,
                source.sha256(),
                source.bytes(),
                source.upstream().equals(Upload.BUNDLE)
                        ? source.verified()
                        : source.verified() + ", " + source.origin() + ' ' + source.upstream(),
                source.versions(),
                source.extractedAt(),
                0,
                null,
                upload,
                source.imaSignature());
    }

    private static PinImport.ImportedPin pin(BuildId id, BundledPin pin) {
        return new PinImport.ImportedPin(
                new PinDraft(id, pin.item(), pin.value(), pin.reason(), pin.expiresAt()), pin.author());
    }
}
