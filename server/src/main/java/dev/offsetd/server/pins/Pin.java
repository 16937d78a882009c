package dev.offsetd.server.pins;

import dev.offsetd.query.overlay.PinnedValue;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A pin.
 *
 * @param draft what it says
 * @param author who made it
 * @param editedBy who changed it last
 * @param revision counts its changes from 1; what extraction says of it is none
 * @param extracted what the build's debug information says of the same item; null if that is nothing
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
        @Nullable PinnedValue extracted) {

    /** Whether a pin has an effect. */
    public enum State {
        ACTIVE,
        EXPIRED,
        RETIRED;

        private final String word = name().toLowerCase(Locale.ROOT);

        /** As the database and the API have it. */
        public String word() {
            return word;
        }

        /** The state of this word; empty if there is none. */
        public static Optional<State> ofWord(String word) {
            return Arrays.stream(values())
                    .filter(state -> state.word.equals(word))
                    .findFirst();
        }
    }

    /** What extraction says of the same item. */
    public enum Agreement {
        /** Nothing: the build has no debug information, or that does not have the item. */
        UNKNOWN,
        /** The same. */
        AGREES,
        /** Something else. */
        DISAGREES;

        private final String word = name().toLowerCase(Locale.ROOT);

        /** As the database and the API have it. */
        public String word() {
            return word;
        }

        /** The agreement of this word; empty if there is none. */
        public static Optional<Agreement> ofWord(String word) {
            return Arrays.stream(values())
                    .filter(agreement -> agreement.word.equals(word))
                    .findFirst();
        }
    }
}
