package dev.offsetd.extractor.catalogue;

/** A stored catalogue that is not what {@link CatalogueWriter} wrote: a fault of the store, not of the file it came from. */
public final class CorruptCatalogueException extends RuntimeException {

    CorruptCatalogueException(String problem) {
        super("stored catalogue: " + problem);
    }

    CorruptCatalogueException(String problem, Throwable cause) {
        super("stored catalogue: " + problem, cause);
    }
}
