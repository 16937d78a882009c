package dev.offsetd.server.types;

import dev.offsetd.query.store.StoredCatalogue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Some of the names of a build's types, in their order. One page looks at a bounded number of names, so it may have fewer
 * than were asked for, even none, and there may still be a next one.
 *
 * @param next where the next page begins; empty if there are no more names
 */
public record TypeNamePage(List<String> names, Optional<Place> next) {

    /** Most names that one page looks at: about as many as a Linux kernel has. */
    static final int MAX_LOOKED_AT = 100_000;

    /** Most characters of the names of one page, unless it has only one name, which may be as long as a megabyte. */
    static final int MAX_CHARACTERS = 1 << 18;

    /**
     * A place between two names. Names may be longer than a place can be, so it has the beginning of the last name before it,
     * and how many names with this beginning come before it.
     */
    public record Place(String beginning, int passed) {

        /** Characters of a name's beginning; at most three bytes each. */
        static final int BEGINNING = 120;

        public static final Place START = new Place("", 0);

        /** The place behind a name, which is the next one after this place. */
        Place behind(String name) {
            String cut = beginning(name);
            return new Place(cut, cut.equals(beginning) ? passed + 1 : 1);
        }

        private static String beginning(String name) {
            if (name.length() <= BEGINNING) {
                return name;
            }
            // Half a character has no bytes.
            return name.substring(0, Character.isHighSurrogate(name.charAt(BEGINNING - 1)) ? BEGINNING - 1 : BEGINNING);
        }

        /** Whether a name comes before this place although it does not come before its beginning. */
        boolean mayHavePassed(String name) {
            return beginning(name).equals(beginning);
        }

        public byte[] toBytes() {
            byte[] text = beginning.getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.allocate(Integer.BYTES + text.length)
                    .putInt(passed)
                    .put(text)
                    .array();
        }

        /** The place that {@link #toBytes} was called of; empty if it is none. */
        public static Optional<Place> of(byte[] bytes) {
            if (bytes.length < Integer.BYTES) {
                return Optional.empty();
            }
            ByteBuffer in = ByteBuffer.wrap(bytes);
            int passed = in.getInt();
            return passed < 0
                    ? Optional.empty()
                    : Optional.of(new Place(StandardCharsets.UTF_8.decode(in).toString(), passed));
        }
    }

    /**
     * The page behind a place.
     *
     * @param part what names have in them, in whatever case; empty for all names
     * @param limit most names of the page
     */
    public static TypeNamePage read(StoredCatalogue types, Place after, String part, int limit) {
        return read(types, after, part, limit, MAX_LOOKED_AT);
    }

    static TypeNamePage read(StoredCatalogue types, Place after, String part, int limit, int maxLookedAt) {
        Reading reading = new Reading(after, part.toLowerCase(Locale.ROOT), limit, maxLookedAt);
        types.forEachTypeName(after.beginning(), reading::take);
        return new TypeNamePage(
                List.copyOf(reading.found), reading.more ? Optional.of(reading.place) : Optional.empty());
    }

    /** One page while it is read. */
    private static final class Reading {

        private final String part;
        private final int limit;
        private final int maxLookedAt;
        private final Place after;
        private final List<String> found = new ArrayList<>();
        private Place place;
        private int toPass;
        private int lookedAt;
        private int characters;
        private boolean more;

        Reading(Place after, String part, int limit, int maxLookedAt) {
            this.after = after;
            this.part = part;
            this.limit = limit;
            this.maxLookedAt = maxLookedAt;
            this.place = after;
            this.toPass = after.passed();
        }

        /** Looks at the next name; false if it is that of the next page. */
        boolean take(String name) {
            if (toPass > 0 && after.mayHavePassed(name)) {
                toPass--;
                return true;
            }
            if (found.size() == limit || lookedAt == maxLookedAt) {
                more = true;
                return false;
            }
            if (part.isEmpty() || name.toLowerCase(Locale.ROOT).contains(part)) {
                if (!found.isEmpty() && characters + name.length() > MAX_CHARACTERS) {
                    more = true;
                    return false;
                }
                characters += name.length();
                found.add(name);
            }
            lookedAt++;
            place = place.behind(name);
            return true;
        }
    }
}
