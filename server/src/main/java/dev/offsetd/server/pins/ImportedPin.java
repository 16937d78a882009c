package dev.offsetd.server.pins;

/**
 * A pin of another server.
 *
 * @param author who made it there
 */
public record ImportedPin(PinDraft draft, String author) {

    /** Returns whether a pin of this server overrides the same item by the same value. */
    boolean isKnownAs(Pin pin) {
        return pin.draft().item().equals(draft.item()) && pin.draft().value().equals(draft.value());
    }
}
