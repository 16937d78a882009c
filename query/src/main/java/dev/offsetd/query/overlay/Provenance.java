package dev.offsetd.query.overlay;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Provenance of a pinned value in an answer.
 *
 * @param pins the pins that determine the value, the outermost first; at least one
 * @param extracted the value by the debug information; null if it has none
 */
public record Provenance(List<AppliedPin> pins, AppliedPin.@Nullable Extent extracted) {

    public Provenance {
        pins = List.copyOf(pins);
    }

    /** Returns the pin nearest to the value. */
    public AppliedPin pin() {
        return pins.getLast();
    }

    /** Returns the comment that text formats append to the value. */
    public String remark() {
        return "pinned: " + pin().source() + ", extracted: " + (extracted == null ? "nothing" : extracted.words());
    }
}
