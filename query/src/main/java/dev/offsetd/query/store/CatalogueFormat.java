package dev.offsetd.query.store;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeKind;

/**
 * Format of a stored catalogue.
 *
 * <p>A {@link StoredBlob} with six tables of blocks: shapes, definitions, names, enumerator names, variables and variable
 * names, followed in the directory by the inline namespaces, and by 1 if the program itself describes the types. Shapes, definitions and variables are found by number; names
 * by binary search for their block. The entry of a name lists the numbers of its definitions or variables, each of these
 * the number of its shape, and a shape the numbers of the shapes that it holds by value. So one name costs a handful of
 * blocks of about 32 KiB, however large the build.
 */
final class CatalogueFormat {

    static final int MAGIC = 0x4f464354;

    /**
     * Incremented when old readers cannot read new blobs, or new readers old blobs. A new kind of shape does not count: old
     * readers refuse entries with such a shape and read the rest.
     */
    static final int FORMAT = 2;

    /** Most levels of nested shapes: stored types were extracted with a limit on their depth. */
    static final int MAX_SHAPE_DEPTH = 600;

    static final TypeKind[] KINDS = TypeKind.values();
    static final Language.Family[] FAMILIES = Language.Family.values();

    private CatalogueFormat() {}
}
