package dev.offsetd.server.admin;

import static dev.offsetd.server.admin.Badge.Tone.BAD;
import static dev.offsetd.server.admin.Badge.Tone.INFO;
import static dev.offsetd.server.admin.Badge.Tone.OK;
import static dev.offsetd.server.admin.Badge.Tone.QUIET;
import static dev.offsetd.server.admin.Badge.Tone.WARN;

import dev.offsetd.query.item.Coverage;
import dev.offsetd.server.access.Token;
import dev.offsetd.server.access.users.UserState;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.prewarms.PrewarmItem;
import dev.offsetd.server.prewarms.PrewarmSummary;
import dev.offsetd.server.sources.UpstreamHealth;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.watches.Watch;
import java.time.Instant;
import java.util.Locale;

/** A short label with the colour of its tone, for the states that pages show. */
public record Badge(Tone tone, String text) {

    /** Tones, each a class of the style sheet. */
    public enum Tone {
        OK,
        INFO,
        WARN,
        BAD,
        QUIET
    }

    /** The class of the style sheet. */
    public String style() {
        return "badge-" + tone.name().toLowerCase(Locale.ROOT);
    }

    public static Badge of(Build build) {
        return build.running() ? new Badge(INFO, "in progress") : of(build.state());
    }

    public static Badge of(BuildState state) {
        return switch (state) {
            case WANTED -> new Badge(QUIET, "queued");
            case EXTRACTED -> new Badge(OK, "extracted");
            case NOT_FOUND -> new Badge(WARN, "not found");
            case UNUSABLE -> new Badge(BAD, "unusable");
            case FAILED -> new Badge(BAD, "failed");
        };
    }

    public static Badge of(SourceOutcome outcome) {
        Failure failure = outcome.failure();
        Badge.Tone tone;
        if (failure == null) {
            tone = OK;
        } else if (outcome.skipped() || outcome.means(BuildState.NOT_FOUND)) {
            tone = QUIET;
        } else {
            tone = outcome.means(BuildState.UNUSABLE) || failure.cause() == Cause.UPSTREAM_BROKEN ? BAD : WARN;
        }
        // A source that lacks a build is normal; a build that all lack is not. Each has its word and colour.
        return new Badge(tone, outcome.means(BuildState.NOT_FOUND) ? "miss" : Format.words(outcome.word()));
    }

    public static Badge of(Pin.State state) {
        return new Badge(state == Pin.State.ACTIVE ? OK : QUIET, state.word());
    }

    /** Returns the badge of how a pin compares with the debug information; warns only of a later change. */
    public static Badge ofAgreement(Pin pin) {
        return switch (pin.review()) {
            case VALUE_CHANGED -> new Badge(WARN, "value changed");
            case ITEM_VANISHED -> new Badge(WARN, "item vanished");
            case null ->
                switch (pin.agreement()) {
                    case AGREES -> new Badge(OK, "agrees");
                    case DISAGREES -> new Badge(QUIET, "differs");
                    case UNKNOWN -> new Badge(QUIET, "no value");
                };
        };
    }

    /** Returns the badge of the required items of a type set that a build has. */
    public static Badge of(Coverage coverage) {
        return ofCoverage(coverage.isComplete());
    }

    /** Returns the same badge, of what is stored of it. */
    public static Badge of(SetCoverage coverage) {
        return ofCoverage(coverage.isComplete());
    }

    private static Badge ofCoverage(boolean complete) {
        return new Badge(complete ? OK : WARN, complete ? "complete" : "incomplete");
    }

    public static Badge of(PrewarmSummary batch) {
        return switch (batch.state()) {
            case ACTIVE -> new Badge(INFO, "in progress");
            case CANCELLED -> new Badge(QUIET, "cancelled");
            case DONE ->
                batch.complete()
                        ? new Badge(OK, "complete")
                        : new Badge(WARN, batch.counts().failed() > 0 ? "with failures" : "incomplete");
        };
    }

    public static Badge of(PrewarmItem item) {
        return switch (item.state()) {
            case EXTRACTING, FETCHING -> new Badge(INFO, item.state().word());
            case FAILED ->
                item.reply().filter(PrewarmItem.Reply.CONSENSUS::equals).isPresent()
                        ? new Badge(WARN, "consensus")
                        : new Badge(BAD, item.state().word());
            case WAITING ->
                item.cause() == null ? new Badge(QUIET, item.state().word()) : new Badge(WARN, "will be retried");
            case DONE -> item.complete() ? new Badge(OK, item.state().word()) : new Badge(WARN, "incomplete");
            case CANCELLED -> new Badge(QUIET, item.state().word());
        };
    }

    public static Badge of(Watch watch) {
        if (watch.isRunning()) {
            return new Badge(INFO, "running");
        }
        return switch (watch.outcome()) {
            case null -> new Badge(QUIET, "waiting");
            case UNCHANGED, COMPLETE ->
                new Badge(OK, Format.words(watch.outcome().word()));
            case PARTIAL -> new Badge(WARN, "partial");
            case FAILED -> new Badge(BAD, "failed");
        };
    }

    public static Badge of(Token token) {
        return switch (token.status(Instant.now())) {
            case ACTIVE -> new Badge(OK, "active");
            case EXPIRED -> new Badge(QUIET, "expired");
            case REVOKED -> new Badge(BAD, "revoked");
        };
    }

    public static Badge of(UserState user) {
        if (!user.enabled()) {
            return new Badge(QUIET, "disabled");
        }
        return user.user().mustChangePassword() ? new Badge(WARN, "one-time password") : new Badge(OK, "enabled");
    }

    /** Returns the badge of an upstream's circuit breaker. */
    public static Badge of(UpstreamHealth upstream) {
        if (!upstream.enabled()) {
            return new Badge(QUIET, "disabled");
        }
        return switch (upstream.breaker()) {
            case CLOSED -> new Badge(OK, "healthy");
            case OPEN -> new Badge(BAD, "paused");
            case HALF_OPEN -> new Badge(WARN, "probing");
        };
    }

    /** Returns the badge of one request to an upstream; its text is a symbol. */
    public static Badge of(UpstreamHealth.Request request) {
        return switch (request.outcome()) {
            case "fetched" -> new Badge(OK, "✓");
            case "not_found" -> new Badge(QUIET, "–");
            case "too_large", "local_failure", "not_asked" -> new Badge(WARN, "?");
            default -> new Badge(BAD, "!");
        };
    }
}
