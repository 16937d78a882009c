package dev.offsetd.query.diff;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A member that is not the same on both sides.
 *
 * @param name of the member; {@code (base) T} for a base class
 * @param from where it was, or null if it is new
 * @param to where it is now, or null if it has gone
 */
public record MemberChange(
        String name, @Nullable Place from, @Nullable Place to) {

    private static final Pattern KIND = Pattern.compile("\\b(struct|union|class|enum) (?=[A-Za-z_])");

    /** What can be said of a member. */
    public enum Kind {
        ADDED,
        REMOVED,
        MOVED,
        RESIZED,
        RETYPED;

        /** As answers spell it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What has happened to it; empty if nothing has. */
    public List<Kind> kinds() {
        if (from == null) {
            return List.of(Kind.ADDED);
        }
        if (to == null) {
            return List.of(Kind.REMOVED);
        }
        List<Kind> kinds = new ArrayList<>();
        if (!Objects.equals(from.bitOffset(), to.bitOffset())) {
            kinds.add(Kind.MOVED);
        }
        if (from.size() != to.size() || from.bitSize() != to.bitSize()) {
            kinds.add(Kind.RESIZED);
        }
        if (!comparable(from.type()).equals(comparable(to.type()))) {
            kinds.add(Kind.RETYPED);
        }
        return List.copyOf(kinds);
    }

    /** C says {@code struct s} where C++ says {@code s}; which of them a definition was read from does not count. */
    static String comparable(String spelling) {
        return KIND.matcher(spelling).replaceAll("");
    }
}
