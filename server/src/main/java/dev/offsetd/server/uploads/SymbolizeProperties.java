package dev.offsetd.server.uploads;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Functions and lines of uploads.
 *
 * @param uploads whether they are stored when the file arrives; null to store them if files are not kept, because they cannot be read
 *     later then
 */
@ConfigurationProperties("offsetd.symbolize")
record SymbolizeProperties(@Nullable Boolean uploads) {

    /** @param kept whether uploaded files are kept */
    boolean uploads(boolean kept) {
        return uploads == null ? !kept : uploads;
    }
}
