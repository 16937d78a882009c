package dev.offsetd.server.pins;

import java.util.List;

/**
 * Result of adding the pins of another server.
 *
 * @param added number of new pins
 * @param leftOut the pins that were not added
 */
public record PinImport(int added, List<RejectedPin> leftOut) {

    public PinImport {
        leftOut = List.copyOf(leftOut);
    }

    /**
     * A pin that was not added.
     *
     * @param code {@code pin_exists}, {@code pin_does_not_fit} or {@code bad_pin}
     */
    public record RejectedPin(String item, String code, String detail) {}

    /**
     * A pin of another server.
     *
     * @param author who made it there
     */
    public record ImportedPin(PinDraft draft, String author) {

        /** Returns whether a pin of this server overrides the same item by the same value. */
        boolean isKnownAs(Pin pin) {
            return pin.draft().item().equals(draft.item())
                    && pin.draft().value().equals(draft.value());
        }
    }
}
