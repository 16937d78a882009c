package dev.offsetd.query.gooffsets;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A module and the members that an agent needs of its types. A program's version of the module decides under which version
 * its offsets are, whatever module the package of a type belongs to.
 *
 * @param path {@code std} for the standard library
 * @param versioned whether the agent knows versions of the module; if not, its offsets are those of version 0.0.0
 */
public record TrackedModule(String path, boolean versioned, List<TrackedMember> members) {

    /** Path of the standard library, whose version is that of Go. */
    public static final String STANDARD_LIBRARY = "std";

    public TrackedModule {
        members = List.copyOf(members);
    }

    /**
     * A member.
     *
     * @param type its type with the path of its package, such as {@code net/http.Request}
     * @param oldest first version in which the agent needs it; null for any
     * @param newest last version in which the agent needs it; null for any
     */
    public record TrackedMember(
            String type,
            String field,
            @Nullable GoVersion oldest,
            @Nullable GoVersion newest) {

        /** Returns the path of the package. */
        public String packagePath() {
            return type.substring(0, dot());
        }

        /** Returns the name of the type in its package. */
        public String typeName() {
            return type.substring(dot() + 1);
        }

        private int dot() {
            return type.indexOf('.', type.lastIndexOf('/') + 1);
        }

        /** Returns the member as an item. */
        public String item() {
            return '"' + type + "\"." + field;
        }

        boolean isNeededIn(GoVersion version) {
            return (oldest == null || version.compareTo(oldest) >= 0)
                    && (newest == null || version.compareTo(newest) <= 0);
        }
    }
}
