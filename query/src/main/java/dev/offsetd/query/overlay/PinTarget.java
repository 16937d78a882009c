package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A type that a pin has a say in.
 *
 * @param typeName as the pin names it, or the name behind the typedef that the pin names; normalized
 * @param kind the kind that it must be of, or null for any
 * @param members from the type to what is pinned; empty for the type itself
 * @param behindTypedef whether the pin names a typedef, and this is the type that it stands for
 */
record PinTarget(Pin pin, String typeName, @Nullable TypeKind kind, List<String> members, boolean behindTypedef) {

    PinTarget {
        members = List.copyOf(members);
    }

    boolean means(String qualifiedName) {
        return PinPath.means(typeName, TypeNames.normalize(qualifiedName));
    }

    /** The same for the type behind a typedef. */
    PinTarget behind(String name) {
        return new PinTarget(pin, name, null, members, true);
    }
}
