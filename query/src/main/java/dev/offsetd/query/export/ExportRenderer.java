package dev.offsetd.query.export;

import java.io.IOException;
import java.io.OutputStream;

/** A format of other tools that types are exported in. Each export has a new renderer. */
public interface ExportRenderer {

    /**
     * Writes the types.
     *
     * @return what the format cannot express, and what {@link ExportedTypes#omissions} has
     * @throws ExportLimitException if the export as a whole does not fit the format
     */
    Omissions render(ExportedTypes types, OutputStream out) throws IOException;
}
