package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.server.operations.Word;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One build of a batch.
 *
 * @param name path of a file of the build; null if the client did not say
 * @param bytes received of the debug file, decompressed; null unless a fetch reports progress
 * @param totalBytes size of the file; null also if the upstream does not state it
 * @param attempts that have ended
 * @param nextAttemptAt earliest time of the next attempt; null unless the last one failed and the item waits
 * @param cause of the failure of the item or of its last attempt; null if nothing failed
 * @param byConsensus whether similar builds answered when the item failed; null if it has not failed or requests
 *     no types
 * @param result coverage of the types; null unless the item is done
 */
public record PrewarmItem(
        BuildId buildId,
        @Nullable String name,
        State state,
        @Nullable Long bytes,
        @Nullable Long totalBytes,
        int attempts,
        @Nullable Instant nextAttemptAt,
        @Nullable Cause cause,
        @Nullable Boolean byConsensus,
        @Nullable Result result) {

    public enum State implements Word {
        /** Waits for a free worker or for the time of its next attempt. */
        WAITING,
        /** A server fetches the debug file, for this item or another caller. */
        FETCHING,
        /** A server reads the file. */
        EXTRACTING,
        /** The build is stored. */
        DONE,
        /** The build is unavailable, or all attempts failed. */
        FAILED,
        /** The batch was cancelled before the item started. */
        CANCELLED
    }

    /** How a query that accepts a consensus is answered. */
    public enum Reply implements Word {
        /** From the types of the build. */
        EXACT,
        /** From similar builds. */
        CONSENSUS,
        NONE
    }

    /** Returns how a query for the types is answered; empty if that is not known. */
    public Optional<Reply> reply() {
        return switch (state) {
            case DONE -> Optional.of(Reply.EXACT);
            case FAILED -> Optional.ofNullable(byConsensus).map(similar -> similar ? Reply.CONSENSUS : Reply.NONE);
            case WAITING, FETCHING, EXTRACTING, CANCELLED -> Optional.empty();
        };
    }

    /** Returns whether the item has its final state. */
    public boolean ended() {
        return state == State.DONE || state == State.FAILED || state == State.CANCELLED;
    }

    /** Returns whether the build is stored and has all requested types. */
    public boolean complete() {
        return result != null && result.complete();
    }

    /**
     * Reason of a failure.
     *
     * @param code for programs
     * @param detail in words
     */
    public record Cause(String code, String detail) {}

    /**
     * Coverage of the types of a batch by a build.
     *
     * @param complete whether the build has all of them; of type sets, all required items
     * @param coverage by the item that names the set, such as {@code @ruby}
     * @param missing items outside of sets that were not found
     */
    public record Result(boolean complete, Map<String, SetShare> coverage, List<String> missing) {

        public Result {
            coverage = Collections.unmodifiableMap(new LinkedHashMap<>(coverage));
            missing = List.copyOf(missing);
        }

        /**
         * Coverage of a type set.
         *
         * @param missing items that were not found, and names of groups without any alternative found, in the order of the
         *     set
         */
        public record SetShare(Coverage.Share required, Coverage.Share optional, List<String> missing) {

            public SetShare {
                missing = List.copyOf(missing);
            }

            static SetShare of(Coverage coverage) {
                return new SetShare(
                        coverage.required(),
                        coverage.optional(),
                        coverage.missing().stream()
                                .map(missing -> switch (missing) {
                                    case Coverage.MissingEntry.MissingSingle one ->
                                        one.item().text();
                                    case Coverage.MissingEntry.MissingGroup group -> group.name();
                                })
                                .toList());
            }
        }
    }

    /** Key of an item: one build of one batch. Its text is the id of the scheduled task. */
    record Key(UUID prewarm, BuildId build) {

        static Key parse(String text) {
            int slash = text.indexOf('/');
            return new Key(UUID.fromString(text.substring(0, slash)), BuildId.parseKey(text.substring(slash + 1)));
        }

        @Override
        public String toString() {
            return prewarm + "/" + build;
        }
    }
}
