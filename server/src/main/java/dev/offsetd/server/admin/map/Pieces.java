package dev.offsetd.server.admin.map;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.MemberTree;
import dev.offsetd.query.item.MemberTree.Entry;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.Provenance;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The pieces of a struct, union or class. Members of unnamed members and of base classes are shown in the place of these;
 * those of other members where that is asked for. Members whose place only the running program knows are left out.
 */
public final class Pieces {

    /** Most pieces of a type; the rest are left out. */
    public static final int MAX = 20_000;

    private final Set<String> unfolded;
    private final PinnedTypes pins;
    private int count;

    private Pieces(Set<String> unfolded, PinnedTypes pins) {
        this.unfolded = unfolded;
        this.pins = pins;
    }

    /**
     * The pieces of a type that an {@link dev.offsetd.query.item.ItemOutcome.TypeFound} has, in the order of the debug
     * information.
     *
     * @param unfolded paths of members whose own members are shown
     * @param pins the types that it was found in
     */
    public static List<Piece> of(AggregateShape shape, Set<String> unfolded, PinnedTypes pins) {
        return new Pieces(unfolded, pins).pieces(MemberTree.of(shape), "", 0);
    }

    private List<Piece> pieces(List<Entry> entries, String prefix, long originBits) {
        List<Piece> pieces = new ArrayList<>(entries.size());
        for (Entry entry : entries) {
            if (count >= MAX) {
                break;
            }
            switch (entry) {
                case Entry.Padding(long first, long length) ->
                    bits(originBits, first, length).ifPresent(bits -> {
                        count++;
                        pieces.add(Piece.hole(bits));
                    });
                case Entry.MemberEntry member
                when member.placement() instanceof Placement.Fixed place ->
                    extent(originBits, place.bitOffset(), place.size(), place.bitSize())
                            .ifPresent(bits -> {
                                count++;
                                pieces.add(part(member, place, bits, prefix, originBits));
                            });
                case Entry.MemberEntry _ -> {}
            }
        }
        return pieces;
    }

    private Piece part(Entry.MemberEntry entry, Placement.Fixed place, BitRange bits, String prefix, long originBits) {
        Member member = entry.member();
        List<Entry> nested = entry.nested();
        TypeShape type = member.type();
        String name = member.name();
        String path = name == null ? "" : prefix + name;
        List<Piece> inside = List.of();
        Piece.Folding folding = Piece.Folding.NONE;
        if (!nested.isEmpty()) {
            inside = pieces(nested, prefix, originBits);
        } else if (name != null
                && type.peeled() instanceof AggregateShape aggregate
                && !aggregate.members().isEmpty()) {
            folding = Piece.Folding.FOLDED;
            if (unfolded.contains(path)) {
                inside = insideOf(aggregate, path, bits.first());
                folding = inside.isEmpty() ? Piece.Folding.NONE : Piece.Folding.UNFOLDED;
            }
        }
        return new Piece(
                place.size() == TypeShape.UNKNOWN_SIZE ? Piece.Kind.UNKNOWN : kind(type),
                path,
                label(member, path) + counts(type),
                type.spelling(),
                bits,
                member.isBitField(),
                folding,
                pin(place, originBits),
                inside);
    }

    private Piece.@Nullable Pinned pin(Placement.Fixed place, long originBits) {
        Provenance provenance = pins.of(place);
        return provenance == null
                ? null
                : new Piece.Pinned(
                        provenance.pin().source(),
                        provenance.extracted()
                                        instanceof AppliedPin.Extent.OfMember(long first, long bytes, int bitSize)
                                ? extent(originBits, first, bytes, bitSize).orElse(null)
                                : null);
    }

    private List<Piece> insideOf(AggregateShape aggregate, String path, long originBits) {
        try {
            return pieces(MemberTree.of(aggregate), path + ".", originBits);
        } catch (ArithmeticException e) {
            // Its members end past the last bit that can be counted.
            return List.of();
        }
    }

    private static String label(Member member, String path) {
        if (!path.isEmpty()) {
            return path;
        }
        return member.role() == Member.Role.BASE_CLASS ? "base " + member.type().spelling() : "unnamed";
    }

    private static Piece.Kind kind(TypeShape type) {
        return switch (type.peeled()) {
            case AggregateShape aggregate -> aggregate.kind() == TypeKind.UNION ? Piece.Kind.UNION : Piece.Kind.STRUCT;
            case ArrayShape array -> array.counts().getFirst() < 0 ? Piece.Kind.OPEN : Piece.Kind.ARRAY;
            case PointerShape _ -> Piece.Kind.POINTER;
            case EnumShape _ -> Piece.Kind.ENUMERATION;
            case BaseShape base ->
                switch (base.encoding()) {
                    case FLOATING -> Piece.Kind.FLOATING;
                    case SIGNED, UNSIGNED, BOOLEAN -> Piece.Kind.INTEGER;
                    case OTHER -> Piece.Kind.OTHER;
                };
            default -> Piece.Kind.OTHER;
        };
    }

    private static String counts(TypeShape type) {
        return Placement.counts(type).stream()
                .map(count -> count < 0 ? "[]" : "[" + count + "]")
                .collect(Collectors.joining());
    }

    private static Optional<BitRange> extent(long originBits, long first, long size, int bitSize) {
        if (bitSize != Member.NOT_A_BIT_FIELD) {
            return bits(originBits, first, bitSize);
        }
        long bytes = size == TypeShape.UNKNOWN_SIZE ? 0 : size;
        return bytes > Long.MAX_VALUE / Byte.SIZE ? Optional.empty() : bits(originBits, first, bytes * Byte.SIZE);
    }

    /** Empty for bits before the start of the type, or past the last that can be counted. */
    private static Optional<BitRange> bits(long originBits, long first, long length) {
        long start = originBits + first;
        return start < 0 || length < 0 || start + length < 0 || first < 0
                ? Optional.empty()
                : Optional.of(new BitRange(start, length));
    }
}
