package dev.offsetd.server.pins;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Revision of a pin.
 *
 * @param revision counted from 1
 * @param action the word of a {@link PinAction}
 * @param who the user who made the change
 * @param acknowledged the reason of an acknowledgement; null for other changes
 */
public record PinRevision(
        int revision,
        String action,
        String who,
        Instant at,
        PinDraft draft,
        Pin.State state,
        @Nullable String acknowledged) {}
