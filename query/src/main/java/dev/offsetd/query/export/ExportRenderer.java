package dev.offsetd.query.export;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.Item;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** A format of other tools that types are exported in. Each export has a new renderer. */
public interface ExportRenderer {

    /** Selects what an export of these items has in this format. */
    default ExportedTypes select(List<Item> items, TypeIndex index, NameStyle style) {
        return ExportedTypes.of(items, index, style);
    }

    /**
     * Writes the types.
     *
     * @return what the format cannot express, and what {@link ExportedTypes#omissions} has
     * @throws ExportLimitException if the export as a whole does not fit the format
     */
    Omissions render(ExportedTypes types, OutputStream out) throws IOException;
}
