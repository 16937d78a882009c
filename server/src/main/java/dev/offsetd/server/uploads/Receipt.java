package dev.offsetd.server.uploads;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.builds.StoredFile;
import org.jspecify.annotations.Nullable;

/** What became of a file that was uploaded. */
sealed interface Receipt {

    /** The build is answered from it now; nothing answered before. */
    record Taken() implements Receipt {}

    /**
     * The build is answered from it now, and no longer from a poorer one of the same token, or from what an older extractor
     * read of the same file.
     */
    record Replaced() implements Receipt {}

    /** It is the file that answers already. */
    record SameFile() implements Receipt {}

    /**
     * It has neither DWARF nor BTF.
     *
     * @param symbolsKept whether its symbols are stored all the same
     */
    record Stripped(boolean symbolsKept) implements Receipt {}

    /** Its debug information cannot be read; its symbols can, and are stored. */
    record Unreadable(ExtractionException cause) implements Receipt {}

    /**
     * Another file answers, and stays.
     *
     * @param layoutsDiffer whether this one has other layouts; null if they could not be compared
     */
    record Refused(
            Precedence.Refusal why,
            StoredFile stored,
            @Nullable Boolean layoutsDiffer) implements Receipt {}
}
