package dev.offsetd.server.sources.outcome;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Every reason why a build has no layouts. The fetch names the cause, the cause determines the build's state, and the state and
 * cause determine the HTTP status. The lower-case name is stored in the database and is the problem code in JSON.
 */
public enum Cause {
    /** The source does not have the build; of a build: no source has it. */
    NOT_FOUND(BuildState.NOT_FOUND, 404),
    /** Every upstream that was queried answered that it does not have the build, but some were not queried. */
    INCOMPLETE(BuildState.NOT_FOUND, 404),
    NO_SOURCES(BuildState.NOT_FOUND, 404),

    /** The debug file is larger than the configured limit. */
    TOO_LARGE(BuildState.UNUSABLE, 422),
    /** The debug file violates its format. */
    MALFORMED(BuildState.UNUSABLE, 422),
    /** The debug file uses a feature that the extractor does not support. */
    UNSUPPORTED(BuildState.UNUSABLE, 422),
    /** Reading the debug file exceeds a limit of the extractor. */
    LIMIT_EXCEEDED(BuildState.UNUSABLE, 422),
    /** The file has neither DWARF nor BTF. */
    NO_DEBUGINFO(BuildState.UNUSABLE, 422),
    /** The uploaded file has the build-id of another build. */
    WRONG_BUILD_ID(BuildState.UNUSABLE, 422),

    /** The upstream did not answer in time. */
    UPSTREAM_SILENT(BuildState.FAILED, 504, "timed_out"),
    /** The upstream is unreachable or its response is not the requested file. */
    UPSTREAM_BROKEN(BuildState.FAILED, 502, "broken"),
    /** The upstream answered with an HTTP error other than 404 and 410. */
    UPSTREAM_REFUSED(BuildState.FAILED, 502, "refused"),
    /** The server's own disk failed. */
    DISK_FAILED(BuildState.FAILED, 503, "local_failure"),
    /** A server had to end itself while it read the file. */
    SERVER_ENDED(BuildState.FAILED, 503, "local_failure"),
    /** A defect of the server. */
    INTERNAL(BuildState.FAILED, 500, "local_failure");

    private static final Map<String, Cause> BY_CODE =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Cause::code, Function.identity()));

    private final BuildState state;
    private final int httpStatus;
    private final String sourceOutcome;

    Cause(BuildState state, int httpStatus) {
        this(state, httpStatus, state.word());
    }

    Cause(BuildState state, int httpStatus, String sourceOutcome) {
        this.state = state;
        this.httpStatus = httpStatus;
        this.sourceOutcome = sourceOutcome;
    }

    /** The problem code in JSON and in the database. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The state of a build that has no layouts for this cause. */
    public BuildState state() {
        return state;
    }

    /** The status of an answer about such a build. */
    public int httpStatus() {
        return httpStatus;
    }

    /** The outcome of a source that failed for this cause, as spelled in JSON and in the database. */
    public String sourceOutcome() {
        return sourceOutcome;
    }

    /** Returns the cause with this code. A code that a later version has stored reads as {@link #INTERNAL}. */
    public static Cause ofCode(String code) {
        return BY_CODE.getOrDefault(code, INTERNAL);
    }

    public static Cause of(ExtractionException e) {
        return switch (e) {
            case MalformedInputException _ -> MALFORMED;
            case UnsupportedInputException _ -> UNSUPPORTED;
            case LimitExceededException _ -> LIMIT_EXCEEDED;
        };
    }
}
