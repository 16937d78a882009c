package dev.offsetd.query.store;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeKind;

/**
 * The layout of a stored catalogue, in words and constants.
 *
 * <p>A {@link dev.offsetd.query.store.StoredBlob} with six tables of blocks: shapes, definitions, names, enumerator names, variables and their names; behind them the directory lists the inline namespaces. Shapes, definitions and variables are found by
 * their number, names by binary search for the block whose first name is not behind the one sought. A name's entry lists
 * the numbers of its definitions or variables, each of these the number of its shape, a shape the numbers of the shapes
 * that it holds by value. So one name costs a handful of blocks of some 32 KiB, however large the build.
 */
final class CatalogueFormat {

    static final int MAGIC = 0x4f464354;

    /**
     * Rises when old readers cannot read new blobs, or new ones old blobs. A new kind of shape does not raise it: old readers
     * refuse what has such a shape, and read the rest.
     */
    static final int FORMAT = 2;

    /** No shape is inside more others: what is stored was read with a limit on the depth of types. */
    static final int MAX_SHAPE_DEPTH = 600;

    static final TypeKind[] KINDS = TypeKind.values();
    static final Language.Family[] FAMILIES = Language.Family.values();

    private CatalogueFormat() {}
}
