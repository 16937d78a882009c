package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Filter of a list of pins; criteria that are null match all.
 *
 * @param review whether the pin needs a review
 * @param text part of the item, the reason or the author's name, in any case
 */
public record PinFilter(
        @Nullable BuildId buildId,
        Pin.@Nullable State state,
        Pin.@Nullable Agreement agreement,
        @Nullable Boolean review,
        @Nullable String text) {

    /** Returns a filter that matches every pin. */
    public static final PinFilter ALL = new PinFilter(null, null, null, null, null);

    /** Returns this filter with what the function makes of its build. */
    PinFilter with(UnaryOperator<BuildId> build) {
        return new PinFilter(buildId == null ? null : build.apply(buildId), state, agreement, review, text);
    }

    /** Returns a filter that matches every pin of one build. */
    public static PinFilter ofBuild(BuildId id) {
        return new PinFilter(id, null, null, null, null);
    }
}
