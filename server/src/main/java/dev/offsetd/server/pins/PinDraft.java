package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.overlay.PinnedValue;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Content of a pin, as its author writes it.
 *
 * @param item a type, or a member path: {@code rb_control_frame_struct.pc}
 * @param value the value, of the kind that the item needs
 * @param reason the reason, never blank
 * @param expiresAt the end of the pin, or null
 */
public record PinDraft(
        BuildId buildId,
        String item,
        PinnedValue value,
        String reason,
        @Nullable Instant expiresAt) {

    /** Returns the draft for another build. */
    public PinDraft of(BuildId build) {
        return new PinDraft(build, item, value, reason, expiresAt);
    }
}
