package dev.offsetd.cli.command;

/** Format of an answer to items, with the media type by which servers send it. */
public enum OutputFormat {
    TABLE("application/json"),
    /** C with offsets, sizes and holes in comments. */
    TEXT("text/plain"),
    JSON("application/json"),
    /** A header of constants. */
    C("text/x-c"),
    /** A name map. */
    YAML("application/yaml"),
    /** Arguments of uprobes. */
    TRACEFS("text/x-tracefs"),
    /** Expressions of bpftrace. */
    BPFTRACE("text/x-bpftrace");

    private final String mediaType;

    OutputFormat(String mediaType) {
        this.mediaType = mediaType;
    }

    public String mediaType() {
        return mediaType;
    }
}
