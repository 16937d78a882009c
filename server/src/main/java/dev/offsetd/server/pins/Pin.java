package dev.offsetd.server.pins;

import java.time.Instant;
import java.util.UUID;

/**
 * A pin.
 *
 * @param draft what it says
 * @param author who made it
 * @param editedBy who changed it last
 * @param revision counts its changes from 1
 */
public record Pin(
        UUID id,
        PinDraft draft,
        State state,
        String author,
        Instant createdAt,
        String editedBy,
        Instant editedAt,
        int revision,
        Agreement agreement) {

    /** Whether a pin has an effect. */
    public enum State {
        ACTIVE,
        EXPIRED,
        RETIRED
    }

    /** What extraction says of the same item. */
    public enum Agreement {
        /** Nothing: the build has no debug information, or that does not have the item. */
        UNKNOWN,
        /** The same. */
        AGREES,
        /** Something else. */
        DISAGREES
    }
}
