package dev.offsetd.query.overlay;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Target of a pin: a type, or a path of members from one.
 *
 * @param kind the kind that the type must have, or null for any
 * @param splits every split into a type's name and members, the longest name first; one for a type
 * @param name type and members joined by dots, normalized; equal for equal paths however they are quoted
 */
record PinPath(@Nullable TypeKind kind, List<TypeAndMembers> splits, String name) {

    PinPath {
        splits = List.copyOf(splits);
    }

    /**
     * A type's name and the members from it to the pinned one; none for the type itself.
     *
     * @param typeName normalized
     */
    record TypeAndMembers(String typeName, List<String> members) {

        TypeAndMembers {
            members = List.copyOf(members);
        }
    }

    /**
     * Returns the path of an item.
     *
     * @throws IllegalArgumentException if such a value cannot be pinned to the item; the message says why
     */
    static PinPath of(Item item, PinnedValue value) {
        if (item.alternatives().size() > 1) {
            throw refused(item, "has alternatives; expected one type or member path");
        }
        if (!(item.alternatives().getFirst() instanceof Alternative.TypePath path)) {
            throw refused(item, "is not a type or member path");
        }
        Optional<String> name = nameOf(path);
        if (name.isEmpty()) {
            throw refused(item, "is a variable, or has an index or pointer; expected a type and its members");
        }
        List<TypeAndMembers> splits = new ArrayList<>();
        for (Alternative.TypeAndSteps split : path.splits()) {
            List<String> members = new ArrayList<>();
            for (Alternative.PathStep step : split.steps()) {
                if (step instanceof Alternative.PathStep.MemberStep(String member)) {
                    members.add(member);
                }
            }
            splits.add(new TypeAndMembers(TypeNames.normalize(split.typeName()), members));
        }
        switch (value) {
            case PinnedValue.OfType _ -> {
                if (splits.size() > 1 || !splits.getFirst().members().isEmpty()) {
                    throw refused(item, "is a member path and needs an offset; quote a type name that contains dots");
                }
            }
            case PinnedValue.OfMember _ -> {
                splits.removeIf(way -> way.members().isEmpty());
                if (splits.isEmpty()) {
                    throw refused(item, "is a type; expected a size without an offset");
                }
                if (path.kind() == TypeKind.ENUM) {
                    throw refused(item, "is not a member path: an enum has no members");
                }
            }
        }
        return new PinPath(path.kind(), splits, name.get());
    }

    private static IllegalArgumentException refused(Item item, String why) {
        return new IllegalArgumentException("item " + HostileText.quote(item.text()) + " " + why);
    }

    /** Returns whether both paths have the same target. */
    boolean meets(PinPath other) {
        return name.equals(other.name) && (kind == null || other.kind == null || isKind(kind, other.kind));
    }

    /** Returns whether a kind matches a wanted one; struct and class match each other, as in C++. */
    static boolean isKind(@Nullable TypeKind wanted, TypeKind kind) {
        return wanted == null
                || wanted == kind
                || (wanted == TypeKind.STRUCT && kind == TypeKind.CLASS)
                || (wanted == TypeKind.CLASS && kind == TypeKind.STRUCT);
    }

    /** Returns whether a name in an item means the type with this qualified name; both normalized. */
    static boolean means(String wanted, String qualifiedName) {
        return wanted.equals(qualifiedName)
                || wanted.equals("::" + qualifiedName)
                || wanted.equals(TypeNames.unqualified(qualifiedName));
    }

    /** Returns the {@link #name} of a path; empty if it is a variable's, or has an index or pointer. */
    static Optional<String> nameOf(Alternative.TypePath path) {
        if (path.variable()) {
            return Optional.empty();
        }
        StringBuilder name = new StringBuilder(String.join(".", path.parts()));
        for (Alternative.PathStep step : path.steps()) {
            switch (step) {
                case Alternative.PathStep.MemberStep(String member) ->
                    name.append('.').append(member);
                case Alternative.PathStep.IndexStep _, Alternative.PathStep.PointerStep _ -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(TypeNames.normalize(name.toString()));
    }
}
