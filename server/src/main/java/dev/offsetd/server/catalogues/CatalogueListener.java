package dev.offsetd.server.catalogues;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.TypeIndex;
import java.util.function.Supplier;

/** Whoever keeps something that follows from a build's stored types. */
public interface CatalogueListener {

    /**
     * The types of a build are being stored in place of any that it has; part of the transaction that stores them.
     *
     * @param types opens them, which takes time
     */
    void stored(BuildId id, Supplier<TypeIndex> types);
}
