package dev.offsetd.server.storage;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.store.StoredCatalogue;
import java.util.function.Supplier;

/** Listener to stored types, for data derived from them. */
public interface CatalogueListener {

    /**
     * Called before the types of a build are stored or replaced, without a transaction.
     *
     * @param types opens the new types, which takes time
     * @return stores the derived data, in the transaction that stores the types
     */
    Runnable storing(BuildId id, Supplier<StoredCatalogue> types);
}
