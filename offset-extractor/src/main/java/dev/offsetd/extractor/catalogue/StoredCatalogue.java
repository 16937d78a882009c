package dev.offsetd.extractor.catalogue;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeIndex;
import java.util.List;

/** A catalogue read out of its blob, block by block, as names are asked for. */
public final class StoredCatalogue implements TypeIndex {

    /** Opens the catalogue; reads its header and directory. */
    public StoredCatalogue(BlobReader blob) {
        throw new UnsupportedOperationException(blob.toString());
    }

    @Override
    public List<Definition> definitionsNamed(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<EnumeratorDefinition> enumeratorsNamed(String name) {
        throw new UnsupportedOperationException();
    }
}
