package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Fields of a struct, union or class: the names that can follow a dot after a value of it. These are its members, those of
 * its unnamed members, and those of base classes that it does not hide.
 */
final class FieldScope {

    private FieldScope() {}

    /**
     * Returns the fields of {@code shape} by name, its own before those of base classes; several placements if a name
     * occurs more than once.
     *
     * @throws UnanswerableException if there are more than {@link UnfoldedMembers#MAX}, or if a bit offset overflows
     */
    static Map<String, List<Placement>> of(AggregateShape shape) throws UnanswerableException {
        if (UnfoldedMembers.areTooMany(shape)) {
            throw new UnanswerableException("more than " + UnfoldedMembers.MAX
                    + " members with those of unnamed members and base classes, or the same ones too often");
        }
        try {
            bitsOf(shape);
            return collect(shape, Placement.Fixed.start(shape));
        } catch (ArithmeticException e) {
            throw new UnanswerableException("a member ends past bit " + Long.MAX_VALUE);
        }
    }

    private static Map<String, List<Placement>> collect(AggregateShape shape, Placement origin) {
        Map<String, List<Placement>> fields = new LinkedHashMap<>();
        Map<String, List<Placement>> inherited = new LinkedHashMap<>();
        for (Member member : shape.members()) {
            Placement placement = place(member, origin);
            String name = member.name();
            if (member.role() == Member.Role.BASE_CLASS) {
                if (member.type().peeled() instanceof AggregateShape base) {
                    append(inherited, collect(base, placement));
                }
            } else if (name != null) {
                fields.computeIfAbsent(name, key -> new ArrayList<>(1)).add(placement);
            } else if (member.type().peeled() instanceof AggregateShape unnamed) {
                append(fields, collect(unnamed, placement));
            }
        }
        inherited.forEach(fields::putIfAbsent);
        return fields;
    }

    /**
     * Returns the placements of a name among the fields of embedded structs, which Go promotes: those at the least depth.
     */
    static List<Placement> promoted(AggregateShape shape, String name) throws UnanswerableException {
        List<Placement> level = List.of(Placement.Fixed.start(shape));
        int members = 0;
        while (!level.isEmpty()) {
            List<Placement> found = new ArrayList<>();
            List<Placement> embedded = new ArrayList<>();
            for (Placement outer : level) {
                if (!(outer.type().peeled() instanceof AggregateShape aggregate)) {
                    continue;
                }
                for (Member member : aggregate.members()) {
                    if (++members > UnfoldedMembers.MAX) {
                        throw new UnanswerableException(
                                "more than " + UnfoldedMembers.MAX + " members with embedded ones");
                    }
                    if (name.equals(member.name())) {
                        found.add(place(member, outer));
                    }
                    if (member.role() == Member.Role.EMBEDDED) {
                        embedded.add(place(member, outer));
                    }
                }
            }
            if (!found.isEmpty()) {
                return found;
            }
            level = embedded;
        }
        return List.of();
    }

    private static void append(Map<String, List<Placement>> to, Map<String, List<Placement>> from) {
        from.forEach((name, placements) ->
                to.computeIfAbsent(name, key -> new ArrayList<>(1)).addAll(placements));
    }

    /** Returns the placement of {@code member} in a type at {@code origin}. */
    static Placement place(Member member, Placement origin) {
        return switch (origin) {
            case Placement.Computed computed ->
                new Placement.Computed(member.type(), computed.status(), computed.reason());
            case Placement.Fixed start ->
                switch (Placement.of(member)) {
                    case Placement.Computed computed -> computed;
                    case Placement.Fixed place -> counted(place, start);
                };
        };
    }

    /** Returns the placement counted from the origin of {@code start}, and checks that it ends at a countable bit. */
    private static Placement.Fixed counted(Placement.Fixed place, Placement.Fixed start) {
        // Most members belong to the outermost type itself.
        Placement.Fixed counted = start.via() == null ? place : place.inside(start);
        long bits = place.isBitField() ? place.bitSize() : bitsOf(place.type());
        if (Math.addExact(counted.bitOffset(), bits) < counted.bitOffset()) {
            throw new ArithmeticException("negative size");
        }
        return counted;
    }

    /** Returns the size in bits, 0 if unknown. */
    private static long bitsOf(TypeShape type) {
        long bytes = type.byteSize();
        return bytes == TypeShape.UNKNOWN_SIZE ? 0 : Math.multiplyExact(bytes, (long) Byte.SIZE);
    }
}
