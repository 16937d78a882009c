package dev.offsetd.server.exports;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.IdentityField;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.export.BtfRenderer;
import dev.offsetd.query.export.ExportRenderer;
import dev.offsetd.query.export.ExportedTypes;
import dev.offsetd.query.export.IsfRenderer;
import dev.offsetd.query.item.Item;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Identities;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.catalogues.Catalogues;
import dev.offsetd.server.catalogues.SymbolTables;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.ProblemException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Renders exports from the stored types and symbols of builds, with their pins. */
@Component
class ExportRenderings {

    /** In front of the types that a BPF program relocates; no item is this text. */
    private static final String RELOCATED = ".BTF.ext";

    private final Catalogues catalogues;
    private final SymbolTables symbols;
    private final Identities identities;
    private final TypeSets sets;
    private final Pins pins;

    ExportRenderings(Catalogues catalogues, SymbolTables symbols, Identities identities, TypeSets sets, Pins pins) {
        this.catalogues = catalogues;
        this.symbols = symbols;
        this.identities = identities;
        this.sets = sets;
        this.pins = pins;
    }

    /**
     * Validates the type sets of a query, before a client waits for the build.
     *
     * @throws ProblemException if a set is unknown: 400
     */
    void requireSets(ExportQuery query) {
        sets.expand(query.items());
    }

    /**
     * Returns the export that answers a query now.
     *
     * @param base kernel of the query, stored; empty if it has none
     */
    Export export(Build build, StoredFile file, ExportQuery query, Optional<Build> base) {
        if (query.format() == ServedFormat.ISF) {
            return isf(build.id(), build.generation(), file.extractorVersion(), file.sha256(), banner(build.id()));
        }
        List<String> facts = new ArrayList<>(List.of(query.names().name()));
        base.ifPresent(kernel -> facts.addAll(List.of(
                kernel.id().toString(),
                Long.toString(kernel.generation()),
                Integer.toString(kernel.extractorVersion()))));
        // Sets change; their items are what the bytes depend on.
        items(query).forEach(item -> facts.add(item.text()));
        query.relocated().ifPresent(types -> {
            facts.add(RELOCATED);
            types.forEach(type -> facts.add(type.spelling()));
        });
        return new Export(
                build.id(), build.generation(), file.extractorVersion(), file.sha256(), query.format(), facts);
    }

    /** Returns the ISF export of a build. */
    static Export isf(BuildId id, long generation, int extractorVersion, String sha256, Optional<String> banner) {
        return new Export(
                id,
                generation,
                extractorVersion,
                sha256,
                ServedFormat.ISF,
                banner.map(List::of).orElse(List.of()));
    }

    private Optional<String> banner(BuildId id) {
        return identities.find(id).flatMap(identity -> identity.first(IdentityField.Kind.KERNEL_BANNER));
    }

    private List<Item> items(ExportQuery query) {
        return query.items().isEmpty() ? List.of() : sets.expand(query.items()).items();
    }

    /**
     * Returns the rendering of an export in a content coding. Items, pins and banner are read here, not when the rendering
     * gets its turn: they may change while it waits, and the revision is that of the present ones.
     */
    ExportFiles.Rendering rendering(
            Build build, StoredFile file, ExportQuery query, Optional<Build> base, ContentCoding coding) {
        // ISF is a compressed file, whatever the content coding is.
        ContentCoding stored = query.format() == ServedFormat.ISF ? ContentCoding.GZIP : coding;
        TypeIndex index = types(build);
        List<Item> items = items(query);
        ExportRenderer renderer = renderer(build, file, query, base);
        return out -> {
            ExportedTypes types = query.relocated().isPresent()
                    ? ExportedTypes.named(query.relocated().get(), index, query.names())
                    : items.isEmpty()
                            ? ExportedTypes.whole(index, query.names())
                            : ExportedTypes.of(items, index, query.names());
            try (OutputStream encoded = stored.encoder(out)) {
                return renderer.render(types, encoded).count();
            }
        };
    }

    private ExportRenderer renderer(Build build, StoredFile file, ExportQuery query, Optional<Build> base) {
        return switch (query.format()) {
            case BTF ->
                new BtfRenderer(
                        file.architecture(), base.map(kernel -> ExportedTypes.whole(types(kernel), query.names())));
            case ISF ->
                new IsfRenderer(
                        new IsfRenderer.ExportedBuild(
                                Optional.of(build.id()),
                                file.architecture(),
                                file.extractorVersion(),
                                banner(build.id())),
                        symbols.open(build.id(), build.generation()));
        };
    }

    private TypeIndex types(Build build) {
        TypeIndex stored = catalogues.open(build.id(), build.generation());
        return pins.inEffect(build).over(Optional.of(stored)).index().orElse(stored);
    }
}
