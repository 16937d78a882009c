package dev.offsetd.extractor;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeNames;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * The layout of a struct, union or class.
 *
 * @param shape size and members
 */
public record Struct(Definition definition, AggregateShape shape) {

    /**
     * Returns the struct, union or class of this name, see {@link DebugInfo#struct}.
     *
     * @param definitions those that have the name without its scopes
     */
    static Optional<Struct> named(String name, List<Definition> definitions) throws AmbiguousNameException {
        String normalized = TypeNames.normalize(name);
        List<Struct> named = definitions.stream()
                .filter(definition -> normalized.equals(TypeNames.normalize(definition.qualifiedName()))
                        || normalized.equals(TypeNames.normalize(definition.name())))
                .flatMap(definition -> of(definition).stream())
                .toList();
        List<Struct> visible = named.stream()
                .filter(struct -> struct.definition().function() == null)
                .toList();
        List<Struct> found = visible.isEmpty() ? named : visible;
        LayoutEquality layouts = new LayoutEquality();
        if (found.stream()
                        .map(struct -> layouts.classOf(struct.shape()))
                        .distinct()
                        .count()
                > 1) {
            throw new AmbiguousNameException(
                    name, found.stream().map(Struct::definition).toList());
        }
        return found.stream().findFirst();
    }

    static Optional<Struct> of(Definition definition) {
        return definition.shape() instanceof AggregateShape aggregate
                ? Optional.of(new Struct(definition, aggregate))
                : Optional.empty();
    }

    public String name() {
        return definition.qualifiedName();
    }

    /** Returns the size in bytes, or {@link dev.offsetd.extractor.layout.TypeShape#UNKNOWN_SIZE}. */
    public long byteSize() {
        return shape.byteSize();
    }

    /**
     * Returns the member of this name, as {@link #findMember}.
     *
     * @throws NoSuchElementException if there is none
     */
    public Member member(String name) {
        return findMember(name)
                .orElseThrow(() -> new NoSuchElementException(name() + " has no member named \"" + name + '"'));
    }

    /**
     * Returns the member of this name, with its location relative to this struct. Members of unnamed structs and unions
     * count as the struct's own. Inherited members are found through the member of their base class.
     */
    public Optional<Member> findMember(String name) {
        return find(shape, name);
    }

    private static Optional<Member> find(AggregateShape aggregate, String name) {
        for (Member member : aggregate.members()) {
            if (name.equals(member.name())) {
                return Optional.of(member);
            }
            if (member.isUnnamedAggregate() && member.type().peeled() instanceof AggregateShape inner) {
                Optional<Member> found = find(inner, name).map(nested -> moved(nested, member.location()));
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    /** Makes a location relative to the type that contains {@code outer}. */
    private static Member moved(Member member, MemberLocation outer) {
        MemberLocation location = switch (outer) {
            case MemberLocation.Computed _, MemberLocation.Unsupported _ -> outer;
            case MemberLocation.Fixed(long outerBits) ->
                member.location() instanceof MemberLocation.Fixed(long innerBits)
                        ? new MemberLocation.Fixed(outerBits + innerBits)
                        : member.location();
        };
        return member.withLocation(location);
    }
}
