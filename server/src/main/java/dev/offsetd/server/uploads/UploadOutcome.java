package dev.offsetd.server.uploads;

import dev.offsetd.extractor.input.ExtractionException;
import org.jspecify.annotations.Nullable;

/** Result of an upload, or of storing what another server has extracted from a file. */
public sealed interface UploadOutcome {

    /** The file answers for the build; nothing did before. */
    record Taken() implements UploadOutcome {}

    /**
     * The file answers for the build, in place of another that it takes precedence over, or of the same file as read by an earlier
     * extractor.
     */
    record Replaced() implements UploadOutcome {}

    /** The file answers for the build already. */
    record SameFile() implements UploadOutcome {}

    /**
     * The file has neither DWARF nor BTF.
     *
     * @param symbolsKept whether its symbols were stored
     */
    record Stripped(boolean symbolsKept) implements UploadOutcome {}

    /** The debug information cannot be read, but the symbols were stored. */
    record Unreadable(ExtractionException cause) implements UploadOutcome {}

    /**
     * Another file answers and stays.
     *
     * @param reason for programs
     * @param sha256 of the file that answers
     * @param layoutsDiffer whether the layouts of the two files differ; null if not compared
     */
    record Refused(
            String reason,
            String detail,
            String sha256,
            @Nullable Boolean layoutsDiffer) implements UploadOutcome {}
}
