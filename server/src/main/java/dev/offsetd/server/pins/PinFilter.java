package dev.offsetd.server.pins;

import dev.offsetd.extractor.layout.BuildId;
import java.util.Optional;

/**
 * Which pins a list has; what is empty does not matter.
 *
 * @param text part of the item, the reason or the author's name, in any case
 */
public record PinFilter(
        Optional<BuildId> buildId,
        Optional<Pin.State> state,
        Optional<Pin.Agreement> agreement,
        Optional<String> text) {

    /** Every pin. */
    public static final PinFilter ALL =
            new PinFilter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Every pin of one build. */
    public static PinFilter ofBuild(BuildId id) {
        return new PinFilter(Optional.of(id), Optional.empty(), Optional.empty(), Optional.empty());
    }
}
