package dev.offsetd.extractor.catalogue;

/** Writes a {@link TypeCatalogue} as the blob that {@link StoredCatalogue} reads. */
public final class CatalogueWriter {

    private CatalogueWriter() {}

    /** The catalogue as a blob; equal catalogues give equal bytes. */
    public static byte[] encode(TypeCatalogue catalogue) {
        if (catalogue.definitions().isEmpty()) {
            return new byte[0];
        }
        throw new UnsupportedOperationException();
    }
}
