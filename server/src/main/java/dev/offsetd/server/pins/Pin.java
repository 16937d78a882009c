package dev.offsetd.server.pins;

import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.operations.Word;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A pin.
 *
 * @param draft the item, value, reason and end
 * @param author the user who created it
 * @param editedBy the user who changed it last
 * @param revision counts changes by users from 1, not changes of the agreement
 * @param extracted the item's value by the debug information; null if it has none
 * @param seen the extracted value when the pin was made or acknowledged; null if there was none
 * @param review why the pin needs a review; null if it needs none
 * @param acknowledged the reason of the latest acknowledgement; null if there was none since the last edit
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
        Agreement agreement,
        @Nullable PinnedValue extracted,
        @Nullable PinnedValue seen,
        @Nullable Review review,
        @Nullable String acknowledged) {

    /** Returns the extracted value as one line of JSON; empty if there is none. */
    public String extractedText() {
        return extracted == null ? "" : PinJson.text(extracted);
    }

    /** State of a pin. */
    public enum State implements Word {
        ACTIVE,
        EXPIRED,
        RETIRED
    }

    /** Agreement of a pin with the debug information. */
    public enum Agreement implements Word {
        /** The build has no debug information, or the item is not in it. */
        UNKNOWN,
        /** The debug information has the same value. */
        AGREES,
        /** The debug information has another value. */
        DISAGREES
    }

    /** Why an active pin needs a review. */
    public enum Review implements Word {
        /** The extracted value differs from the pin and from the one seen when the pin was made. */
        VALUE_CHANGED,
        /** The item is no longer in the debug information. */
        ITEM_VANISHED
    }

    /**
     * Acceptance of the extracted value of a pin.
     *
     * @param reason why the pin stays
     * @param shown the extracted value that was reviewed, as {@link Pin#extractedText} returns it; null to accept any
     */
    public record Acknowledgement(String reason, @Nullable String shown) {}

    /**
     * Revision of a pin.
     *
     * @param revision counted from 1
     * @param action the word of a {@link Action}
     * @param who the user who made the change
     * @param acknowledged the reason of an acknowledgement; null for other changes
     */
    public record Revision(
            int revision,
            String action,
            String who,
            Instant at,
            PinDraft draft,
            Pin.State state,
            @Nullable String acknowledged) {}

    /** Change of a pin. */
    enum Action implements Word {
        CREATE,
        EDIT,
        RETIRE,
        RESTORE,
        /** The pin reached its end. */
        EXPIRE,
        /** The pin was copied from another build. */
        COPY,
        /** An administrator accepted the extracted value that the pin overrides. */
        ACKNOWLEDGE;

        /** Returns the word in the audit log. */
        String audited() {
            return "pin." + word();
        }
    }
}
