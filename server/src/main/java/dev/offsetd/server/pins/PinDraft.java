package dev.offsetd.server.pins;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.overlay.PinnedValue;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pin as its author wants it.
 *
 * @param item a type, or a member path: {@code rb_control_frame_struct.pc}
 * @param value fits the item: a place for a member path, a type for a type
 * @param reason why; never blank
 * @param expiresAt when it ends, or null if it does not
 */
public record PinDraft(
        BuildId buildId,
        String item,
        PinnedValue value,
        String reason,
        @Nullable Instant expiresAt) {}
