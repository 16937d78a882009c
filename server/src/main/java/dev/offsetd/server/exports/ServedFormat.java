package dev.offsetd.server.exports;

import dev.offsetd.server.web.ContentCoding;
import java.util.EnumSet;
import java.util.Set;

/** A format that exports are served in. */
enum ServedFormat {
    /** Already compressed: volatility3 recognizes the suffix and does not negotiate. */
    ISF("isf", "isf.json.gz", "application/gzip", 1),

    BTF("btf", "types.btf", "application/octet-stream", 2);

    private final String word;
    private final String fileName;
    private final String contentType;
    private final int version;

    ServedFormat(String word, String fileName, String contentType, int version) {
        this.word = word;
        this.fileName = fileName;
        this.contentType = contentType;
        this.version = version;
    }

    /** Returns the name in paths. */
    String word() {
        return word;
    }

    /** Returns the last part of the path of a revision. */
    String fileName() {
        return fileName;
    }

    String contentType() {
        return contentType;
    }

    /** Returns the version of the renderer, which increases when it writes other bytes for the same types. */
    int version() {
        return version;
    }

    Set<ContentCoding> codings() {
        return this == ISF ? EnumSet.of(ContentCoding.IDENTITY) : EnumSet.allOf(ContentCoding.class);
    }
}
