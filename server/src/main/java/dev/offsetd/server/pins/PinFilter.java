package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Filter of a list of pins; empty criteria match all.
 *
 * @param review whether the pin needs a review
 * @param text part of the item, the reason or the author's name, in any case
 */
public record PinFilter(
        Optional<BuildId> buildId,
        Optional<Pin.State> state,
        Optional<Pin.Agreement> agreement,
        Optional<Boolean> review,
        Optional<String> text) {

    /** Returns a filter that matches every pin. */
    public static final PinFilter ALL =
            new PinFilter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Returns this filter with what the function makes of its build. */
    PinFilter with(UnaryOperator<BuildId> build) {
        return new PinFilter(buildId.map(build), state, agreement, review, text);
    }

    /** Returns a filter that matches every pin of one build. */
    public static PinFilter ofBuild(BuildId id) {
        return new PinFilter(Optional.of(id), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }
}
