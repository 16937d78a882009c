package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A type that a pin changes.
 *
 * @param typeName the type's name in the pin, or the name behind the typedef in the pin; normalized
 * @param kind the kind that the type must have, or null for any
 * @param members the members from the type to the pinned one; empty for the type itself
 * @param behindTypedef whether the pin names a typedef of this type
 */
record PinTarget(
        PinnedItem pin, String typeName, @Nullable TypeKind kind, List<String> members, boolean behindTypedef) {

    PinTarget {
        members = List.copyOf(members);
    }

    boolean means(String qualifiedName) {
        return PinPath.means(typeName, TypeNames.normalize(qualifiedName));
    }

    PinTarget behind(String name) {
        return new PinTarget(pin, name, null, members, true);
    }
}
