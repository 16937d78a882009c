package dev.offsetd.server.exports;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.export.BtfRenderer;
import dev.offsetd.query.export.ExportRenderer;
import dev.offsetd.query.export.ExportedTypes;
import dev.offsetd.query.export.IsfRenderer;
import dev.offsetd.query.item.Item;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.SymbolTables;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Renders exports from the stored types and symbols of builds, with their pins. */
@Component
class ExportRenderings {

    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private final Builds builds;
    private final Catalogues catalogues;
    private final SymbolTables symbols;
    private final Identities identities;
    private final TypeSets sets;
    private final Pins pins;

    ExportRenderings(
            Builds builds,
            Catalogues catalogues,
            SymbolTables symbols,
            Identities identities,
            TypeSets sets,
            Pins pins) {
        this.builds = builds;
        this.catalogues = catalogues;
        this.symbols = symbols;
        this.identities = identities;
        this.sets = sets;
        this.pins = pins;
    }

    /**
     * Returns the items of a query with those of its type sets.
     *
     * @return empty for all types
     * @throws ProblemException if a set is unknown: 400
     */
    List<Item> items(ExportQuery query) {
        return sets.expand(query.items()).items();
    }

    /**
     * Reads what the answer to a query depends on.
     *
     * @param items of the query
     * @param base the stored kernel of the query; null if it has none
     */
    ResolvedExport resolve(BuildAccess.Stored stored, ExportQuery query, List<Item> items, @Nullable Build base) {
        Build build = stored.build();
        String banner = query.format() == ServedFormat.ISF ? banner(build.id()) : null;
        return new ResolvedExport(build, stored.file(), query, base, items, banner);
    }

    private @Nullable String banner(BuildId id) {
        return identities
                .find(id)
                .flatMap(identity -> identity.first(IdentityField.Kind.KERNEL_BANNER))
                .orElse(null);
    }

    /**
     * Renders an export in a content coding, and returns the number of types and symbols that were left out.
     *
     * @throws ProblemException if a build has changed since it was read: 503
     */
    long render(ResolvedExport export, ContentCoding coding, OutputStream out) throws IOException {
        ExportQuery query = export.query();
        // ISF is a compressed file, whatever the content coding is.
        ContentCoding stored = query.format() == ServedFormat.ISF ? ContentCoding.GZIP : coding;
        TypeIndex index = types(export.build());
        ExportRenderer renderer = renderer(export);
        ExportedTypes types = query.relocated() != null
                ? ExportedTypes.named(query.relocated(), index, query.names())
                : export.items().isEmpty()
                        ? ExportedTypes.whole(index, query.names())
                        : renderer.select(export.items(), index, query.names());
        long omitted;
        try (OutputStream encoded = stored.encoder(out)) {
            omitted = renderer.render(types, encoded).count();
        }
        requireUnchanged(export.build());
        if (export.base() != null) {
            requireUnchanged(export.base());
        }
        return omitted;
    }

    /**
     * Checks that types, symbols and pins, which are read while the export is rendered, are those of the build's generation in
     * the revision. A transaction that changes them gives the build a new generation.
     *
     * @throws ProblemException if the build has changed since it was read: 503
     */
    private void requireUnchanged(Build build) {
        boolean unchanged = builds.find(build.id())
                .filter(now -> now.generation() == build.generation())
                .isPresent();
        if (!unchanged) {
            throw new ProblemException(
                    Problem.busy("build " + build.id() + " changed while the export was rendered", RETRY_AFTER));
        }
    }

    private ExportRenderer renderer(ResolvedExport export) {
        Build build = export.build();
        StoredFile file = export.file();
        return switch (export.query().format()) {
            case BTF ->
                new BtfRenderer(
                        file.architecture(),
                        export.base() == null
                                ? null
                                : ExportedTypes.whole(
                                        types(export.base()), export.query().names()));
            case ISF ->
                new IsfRenderer(
                        new IsfRenderer.ExportedBuild(
                                build.id(), file.architecture(), file.versions().types(), export.banner()),
                        symbols.open(build.id(), build.generation()));
        };
    }

    private TypeIndex types(Build build) {
        TypeIndex stored = catalogues.open(build.id(), build.generation());
        return pins.inEffect(build).over(stored).index().orElse(stored);
    }
}
