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
 * What a pin is about: a type, or a member of one, through as many members as it takes.
 *
 * @param kind the kind that the type must be of, or null for any
 * @param ways every way to tell the type's name from its members, the longest name first; of a type just one
 * @param name type and members joined by dots, normalized: it tells whether two paths are one however they are quoted
 */
record PinPath(@Nullable TypeKind kind, List<Way> ways, String name) {

    PinPath {
        ways = List.copyOf(ways);
    }

    /**
     * A type and the members that lead from it to what is pinned; none for the type itself.
     *
     * @param typeName normalized
     */
    record Way(String typeName, List<String> members) {

        Way {
            members = List.copyOf(members);
        }
    }

    /**
     * The path of an item.
     *
     * @throws IllegalArgumentException if the item is none that such a value can be pinned to; the message says why
     */
    static PinPath of(Item item, PinnedValue value) {
        if (item.alternatives().size() > 1) {
            throw refused(item, "has alternatives; expected one type or member path");
        }
        if (!(item.alternatives().getFirst() instanceof Alternative.TypePath path)) {
            throw refused(item, "is no type and no member path");
        }
        Optional<String> name = nameOf(path);
        if (name.isEmpty()) {
            throw refused(item, "has an index; expected members only");
        }
        List<Way> ways = new ArrayList<>();
        for (Alternative.Reading reading : path.readings()) {
            List<String> members = new ArrayList<>();
            for (Alternative.Step step : reading.steps()) {
                if (step instanceof Alternative.Step.Member(String member)) {
                    members.add(member);
                }
            }
            ways.add(new Way(TypeNames.normalize(reading.typeName()), members));
        }
        switch (value) {
            case PinnedValue.Type _ -> {
                if (ways.size() > 1 || !ways.getFirst().members().isEmpty()) {
                    throw refused(
                            item,
                            "is a member path, and has an offset; a type whose name has dots is written in quotes");
                }
            }
            case PinnedValue.Place _ -> {
                ways.removeIf(way -> way.members().isEmpty());
                if (ways.isEmpty()) {
                    throw refused(item, "is a type, and has a size but no offset");
                }
                if (path.kind() == TypeKind.ENUM) {
                    throw refused(item, "is no member path: an enum has no members");
                }
            }
        }
        return new PinPath(path.kind(), ways, name.get());
    }

    private static IllegalArgumentException refused(Item item, String why) {
        return new IllegalArgumentException("item " + HostileText.quote(item.text()) + " " + why);
    }

    /** Whether both are about the same thing. */
    boolean meets(PinPath other) {
        return name.equals(other.name) && (kind == null || other.kind == null || isKind(kind, other.kind));
    }

    /** Whether a type of a kind is one of a wanted kind: struct and class stand for each other, as in C++. */
    static boolean isKind(@Nullable TypeKind wanted, TypeKind kind) {
        return wanted == null
                || wanted == kind
                || (wanted == TypeKind.STRUCT && kind == TypeKind.CLASS)
                || (wanted == TypeKind.CLASS && kind == TypeKind.STRUCT);
    }

    /** Whether a type's name as somebody wrote it means the type of this qualified name; both normalized. */
    static boolean means(String wanted, String qualifiedName) {
        return wanted.equals(qualifiedName)
                || wanted.equals("::" + qualifiedName)
                || wanted.equals(TypeNames.unqualified(qualifiedName));
    }

    /** {@link #name} of a path; empty if it has an index. */
    static Optional<String> nameOf(Alternative.TypePath path) {
        StringBuilder name = new StringBuilder(String.join(".", path.parts()));
        for (Alternative.Step step : path.steps()) {
            switch (step) {
                case Alternative.Step.Member(String member) -> name.append('.').append(member);
                case Alternative.Step.Index _ -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(TypeNames.normalize(name.toString()));
    }
}
