package dev.offsetd.server.sources;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A file of a build, and its suffix in the disk cache. */
public enum FileKind {
    DEBUGINFO("debug"),
    /** The executable or library that the debug file was separated from. */
    EXECUTABLE("executable"),
    /**
     * Where the code and the thread-local variables of the executable are: the parts of it that say so, in their places. The
     * executable itself if it is at hand, or if a source delivers whole files only. The parts are in no disk cache.
     */
    PROGRAM("program"),
    /** A copy of the debug file with the sections that the extractor reads. Never passes for the debug file. */
    SECTIONS("sections"),
    /** The uploaded file that answers for the build. */
    UPLOAD("upload");

    private final String suffix;

    FileKind(String suffix) {
        this.suffix = suffix;
    }

    String suffix() {
        return suffix;
    }

    static Optional<FileKind> ofSuffix(String suffix) {
        return Arrays.stream(values())
                .filter(kind -> kind.suffix.equals(suffix))
                .findFirst();
    }

    /** Returns the artifact type of debuginfod's web API: {@code debuginfo}, {@code executable}. */
    public String word() {
        return (isOfExecutable() ? EXECUTABLE : DEBUGINFO).name().toLowerCase(Locale.ROOT);
    }

    boolean isOfExecutable() {
        return this == EXECUTABLE || this == PROGRAM;
    }

    /** Returns the kind of file in the disk cache that serves a request for this one. */
    FileKind inCache() {
        return this == PROGRAM ? EXECUTABLE : this;
    }
}
