package dev.offsetd.cli.command;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;

/** Parser of a build-id or alias key on a command line. */
public final class BuildKey {

    /** How the keys are written that stand for build-ids. */
    public static final String ALIASES = "go:, htl: or sha256: and its value";

    private BuildKey() {}

    /** Returns the build of this text, or fails with a usage error. */
    public static BuildId parse(String text) throws CommandFailure {
        try {
            return BuildId.parseKey(text);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("build-id " + HostileText.quote(text) + ": " + e.getMessage());
        }
    }
}
