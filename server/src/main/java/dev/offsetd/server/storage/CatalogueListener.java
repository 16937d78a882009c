package dev.offsetd.server.storage;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.TypeIndex;
import java.util.function.Supplier;

/** Listener to stored types, for data derived from them. */
public interface CatalogueListener {

    /**
     * Called when the types of a build are stored or replaced, in the same transaction.
     *
     * @param types opens the new types, which takes time
     */
    void stored(BuildId id, Supplier<TypeIndex> types);
}
