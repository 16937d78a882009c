package dev.offsetd.server.uploads.bundles;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.query.bundle.BuildArchive;
import dev.offsetd.query.bundle.BundledBuild;
import dev.offsetd.query.bundle.BundledPin;
import dev.offsetd.query.bundle.BundledSource;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.SymbolTables;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Reads stored builds for bundles. */
@Component
class BundledBuilds {

    private static final Duration CHANGED_RETRY_AFTER = Duration.ofSeconds(1);

    private final Builds builds;
    private final Identities identities;
    private final BuildKeys keys;
    private final Pins pins;
    private final Catalogues catalogues;
    private final SymbolTables symbols;

    BundledBuilds(
            Builds builds,
            Identities identities,
            BuildKeys keys,
            Pins pins,
            Catalogues catalogues,
            SymbolTables symbols) {
        this.builds = builds;
        this.identities = identities;
        this.keys = keys;
        this.pins = pins;
        this.catalogues = catalogues;
        this.symbols = symbols;
    }

    /**
     * Returns the archive of a build.
     *
     * @param file that its types and symbols come from; null if it has neither
     * @throws ProblemException if the build changed while it was read: 503
     * @throws dev.offsetd.query.store.CorruptBlobException if what is stored is corrupt
     */
    SpooledBody archive(Build build, @Nullable StoredFile file) {
        return catalogues.whole(build.id(), types -> {
            BundledBuild description = describe(build, file);
            byte[] symbolTable = symbols.whole(build.id());
            // Read one after the other, so that they may be of different extractions.
            if (builds.find(build.id())
                    .filter(now -> now.generation() == build.generation())
                    .isEmpty()) {
                throw new ProblemException(
                        Problem.busy("build " + build.id() + " has changed while it was read", CHANGED_RETRY_AFTER));
            }
            if (types.length > 0) {
                StoredCatalogue.of(types);
            }
            if (symbolTable.length > 0) {
                StoredSymbols.of(symbolTable);
            }
            return SpooledBody.of(out -> new BuildArchive(description, types, symbolTable).writeTo(out));
        });
    }

    private BundledBuild describe(Build build, @Nullable StoredFile file) {
        BuildId id = build.id();
        return new BundledBuild(
                id,
                file == null ? null : file.architecture(),
                file == null ? null : source(file),
                identities.find(id).orElse(Identity.UNKNOWN),
                keys.of(id),
                pins.activeOf(id).stream().map(BundledBuilds::pin).toList());
    }

    private static BundledSource source(StoredFile file) {
        Upload upload = file.upload();
        UUID token = upload == null ? null : upload.token();
        return new BundledSource(
                file.origin().word(),
                file.upstream(),
                upload == null
                        ? null
                        : new BundledSource.Uploader(token == null ? null : token.toString(), upload.label()),
                file.sha256(),
                file.bytes(),
                file.verified(),
                file.imaSignature(),
                file.versions(),
                file.extractedAt());
    }

    private static BundledPin pin(Pin pin) {
        return new BundledPin(
                pin.id().toString(),
                pin.draft().item(),
                pin.draft().value(),
                pin.draft().reason(),
                pin.author(),
                pin.editedAt(),
                pin.draft().expiresAt());
    }
}
