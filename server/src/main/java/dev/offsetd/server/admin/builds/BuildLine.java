package dev.offsetd.server.admin.builds;

import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.outcome.BuildState;
import dev.offsetd.server.outcome.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A build in the list.
 *
 * @param state where it stands
 * @param architecture empty if that is not known
 * @param source the upstream, folder or upload that its file is from; empty if there is none
 * @param at when it was extracted; null if it was not
 * @param note why nothing is stored; empty if something is
 */
record BuildLine(
        String id,
        State state,
        String architecture,
        String origin,
        String source,
        @Nullable Moment at,
        String note) {

    /**
     * Where a build stands.
     *
     * @param moving whether it will change by itself
     */
    record State(String word, String style, boolean moving) {

        static State of(Build build) {
            if (build.running()) {
                return new State("under way", "badge-info", true);
            }
            return switch (build.state()) {
                case WANTED -> new State("waiting", "badge-quiet", true);
                case EXTRACTED -> new State("extracted", "badge-ok", false);
                case NOT_FOUND -> new State("not found", "badge-warn", false);
                case UNUSABLE -> new State("unusable", "badge-bad", false);
                case FAILED -> new State("failed", "badge-bad", false);
            };
        }
    }

    static BuildLine of(Build build) {
        StoredFile file = build.file().or(build::symbolsFile).orElse(null);
        return new BuildLine(
                build.id().toString(),
                State.of(build),
                file == null ? "" : architecture(file),
                file == null ? "" : file.origin().word(),
                file == null ? "" : file.upstream(),
                build.state() == BuildState.EXTRACTED && file != null ? Moment.of(file.extractedAt()) : null,
                build.failure().map(Failure::detail).orElse(""));
    }

    /** {@code x86_64, 64-bit, little-endian}. */
    static String architecture(StoredFile file) {
        return file.architecture().machine() + ", " + file.architecture().bits() + "-bit, "
                + file.architecture().byteOrderName() + "-endian";
    }
}
