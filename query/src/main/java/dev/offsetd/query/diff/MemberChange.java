package dev.offsetd.query.diff;

import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A changed member.
 *
 * @param name of the member; {@code (base) T} for a base class
 * @param from its old layout, or null if it is new
 * @param to its new layout, or null if it was removed
 */
public record MemberChange(
        String name, @Nullable MemberLayout from, @Nullable MemberLayout to) {

    private static final Pattern KIND = Pattern.compile("\\b(?:(?:struct|union|class|enum) )+([A-Za-z_])");

    /** Kind of change. */
    public enum Kind {
        ADDED,
        REMOVED,
        MOVED,
        RESIZED,
        RETYPED;

        /** Returns the word in answers. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the changes; empty if there are none. */
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

    /** Removes the kind before names: C writes {@code struct s}, C++ {@code s}. */
    static String comparable(String spelling) {
        return KIND.matcher(spelling).replaceAll("$1");
    }
}
