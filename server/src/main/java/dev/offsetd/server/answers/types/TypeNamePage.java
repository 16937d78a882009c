package dev.offsetd.server.answers.types;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Page of the type names of a build. A page in the order of the names looks at a bounded number of them, so it may be shorter
 * than the limit, or empty, and still have a next page.
 *
 * @param next position of the next page; null on the last page, and for the best matches
 * @param more whether other names match or were not looked at
 */
public record TypeNamePage(List<String> names, @Nullable Position next, boolean more) {

    /** Names that one page looks at: about as many as a Linux kernel has. */
    static final int MAX_LOOKED_AT = 100_000;

    /** Limit of the total length of the names of a page. A page of one name may exceed it. */
    static final int MAX_CHARACTERS = 1 << 18;

    /**
     * Position between two names. A cursor has no room for long names, so a position has the prefix of the name before
     * it, and the number of names with this prefix up to there.
     */
    public record Position(String prefix, int passed) {

        /** At most three bytes each. */
        static final int PREFIX_CHARACTERS = 120;

        public static final Position START = new Position("", 0);

        /** Returns the position after a name, which is the first one after this position. */
        Position behind(String name) {
            String cut = prefix(name);
            return new Position(cut, cut.equals(prefix) ? passed + 1 : 1);
        }

        private static String prefix(String name) {
            if (name.length() <= PREFIX_CHARACTERS) {
                return name;
            }
            // Half a surrogate pair cannot be encoded.
            return name.substring(
                    0,
                    Character.isHighSurrogate(name.charAt(PREFIX_CHARACTERS - 1))
                            ? PREFIX_CHARACTERS - 1
                            : PREFIX_CHARACTERS);
        }

        /** Returns whether a name may come before this position although it does not sort before its prefix. */
        boolean mayHavePassed(String name) {
            return prefix(name).equals(prefix);
        }

        public byte[] toBytes() {
            byte[] text = prefix.getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.allocate(Integer.BYTES + text.length)
                    .putInt(passed)
                    .put(text)
                    .array();
        }

        /** Parses {@link #toBytes}; empty if the bytes are invalid. */
        public static Optional<Position> of(byte[] bytes) {
            if (bytes.length < Integer.BYTES) {
                return Optional.empty();
            }
            ByteBuffer in = ByteBuffer.wrap(bytes);
            int passed = in.getInt();
            return passed < 0
                    ? Optional.empty()
                    : Optional.of(new Position(StandardCharsets.UTF_8.decode(in).toString(), passed));
        }
    }

    /** The names of a build's types, or those of a kind and language. */
    @FunctionalInterface
    interface NameSource {

        /** Passes on the names in order, see {@link dev.offsetd.extractor.layout.TypeIndex#forEachTypeName}. */
        void forEachTypeName(String from, Predicate<String> goOn);
    }

    /**
     * Reads the page at a position.
     *
     * @param part substring of the names, ignoring case; empty for all names
     * @param limit of names
     */
    static TypeNamePage read(NameSource names, Position after, String part, int limit) {
        return read(names, after, part, limit, MAX_LOOKED_AT);
    }

    static TypeNamePage read(NameSource names, Position after, String part, int limit, int maxLookedAt) {
        PageReader reader = new PageReader(after, part.toLowerCase(Locale.ROOT), limit, maxLookedAt);
        names.forEachTypeName(after.prefix(), reader::take);
        return new TypeNamePage(List.copyOf(reader.found), reader.more ? reader.position : null, reader.more);
    }

    private static final class PageReader {

        private final String part;
        private final int limit;
        private final int maxLookedAt;
        private final Position after;
        private final List<String> found = new ArrayList<>();
        private Position position;
        private int toPass;
        private int lookedAt;
        private int characters;
        private boolean more;

        PageReader(Position after, String part, int limit, int maxLookedAt) {
            this.after = after;
            this.part = part;
            this.limit = limit;
            this.maxLookedAt = maxLookedAt;
            this.position = after;
            this.toPass = after.passed();
        }

        /** Adds a name; returns false if it belongs to the next page. */
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
            position = position.behind(name);
            return true;
        }
    }
}
