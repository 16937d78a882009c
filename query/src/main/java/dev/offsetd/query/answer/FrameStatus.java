package dev.offsetd.query.answer;

import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.query.symbol.SymbolAt;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Whether an address has functions and lines, or why not. */
public enum FrameStatus {
    FOUND,

    /** The address is in a function or a symbol, and belongs to no line. */
    NO_LINE,

    /** The address is in no function, line or symbol. */
    OUTSIDE,

    /** The address is an offset in the file, and the segments of the program are not known. */
    NO_SEGMENTS,

    /** No source has the build. */
    UNKNOWN_BUILD,

    /** The build has neither functions nor lines. */
    NO_DEBUGINFO,

    /** The build is stored, and no source has its debug file any more. */
    SOURCE_GONE,

    /** The build takes longer than the client waits. */
    IN_PROGRESS,

    /** A source or a server failed, or the file is unusable. */
    FAILED;

    /** Returns the spelling in answers. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the status of an offset in the file that has no address. */
    public static FrameStatus withoutAddress(FileOffsets offsets) {
        return offsets.missing() == null ? OUTSIDE : NO_SEGMENTS;
    }

    /**
     * Returns the status of an address that was looked up.
     *
     * @param frames the innermost first
     * @param symbol preferred symbol at the address; null for none
     */
    public static FrameStatus of(List<Frame> frames, @Nullable SymbolAt symbol) {
        if (frames.isEmpty()) {
            return symbol == null ? OUTSIDE : NO_LINE;
        }
        return frames.getFirst().file() != null && frames.getFirst().line() > 0 ? FOUND : NO_LINE;
    }
}
