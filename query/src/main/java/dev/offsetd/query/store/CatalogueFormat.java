package dev.offsetd.query.store;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeKind;

/**
 * Format of a stored catalogue.
 *
 * <p>A {@link StoredBlob}. The command line answers from memory; only servers and bundles read blobs. Its directory has, in
 * this order:
 *
 * <pre>
 * names of units, languages
 * blocks of shapes, by number
 * blocks of definitions, by number
 * names of types, and of enumerators, each with the numbers of its definitions
 * blocks of variables, by number
 * names of variables, with their numbers
 * inline namespaces
 * 1 if the program itself describes the types
 * omissions
 * names of Go's types without their package
 * </pre>
 *
 * <p>A name is found by binary search for its block; a definition or variable has the number of its shape, and a shape the
 * numbers of the shapes that it holds by value. So one name costs a handful of blocks of about 32 KiB, however large the
 * build.
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
