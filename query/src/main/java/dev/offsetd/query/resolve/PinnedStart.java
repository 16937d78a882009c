package dev.offsetd.query.resolve;

import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.PinMark;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What pins had a say in where something lies, and where it lies by the debug information alone.
 *
 * @param pins the outermost first
 * @param extracted the same thing by the debug information, located in the outermost variable or type; null if that has none
 */
record PinnedStart(List<PinMark> pins, @Nullable Member extracted) {

    PinnedStart {
        pins = List.copyOf(pins);
    }

    /**
     * Of a member.
     *
     * @param start bytes from the outermost to the type that has the member
     * @param outer of that type; null if nothing had a say in where it lies
     * @return null if nothing has a say in where the member lies
     */
    static @Nullable PinnedStart of(Member member, long start, @Nullable PinnedStart outer) {
        Member.Pinned pinned = member.pinned();
        if (pinned == null && outer == null) {
            return null;
        }
        List<PinMark> pins = new ArrayList<>(outer == null ? List.of() : outer.pins);
        if (pinned != null && !pins.contains(pinned.pin())) {
            pins.add(pinned.pin());
        }
        Member extracted = pinned == null ? member : pinned.extracted();
        Long from = outer == null ? Long.valueOf(start * Byte.SIZE) : outer.bitOffset();
        return new PinnedStart(
                pins,
                from == null || extracted == null || !(extracted.location() instanceof MemberLocation.Fixed(long bits))
                        ? null
                        : located(extracted, from + bits));
    }

    /** Of an element of an array that lies there; counted from 0 over all dimensions. */
    PinnedStart element(long index) {
        Long from = bitOffset();
        return new PinnedStart(
                pins,
                from != null && extracted != null && extracted.type().peeled() instanceof ArrayShape array
                        ? new Member(
                                Member.Role.FIELD,
                                null,
                                new MemberLocation.Fixed(
                                        from + index * array.element().byteSize() * Byte.SIZE),
                                Member.NOT_A_BIT_FIELD,
                                0,
                                array.element())
                        : null);
    }

    private @Nullable Long bitOffset() {
        return extracted != null && extracted.location() instanceof MemberLocation.Fixed(long bits) ? bits : null;
    }

    Step.Pinned mark() {
        Long from = bitOffset();
        return new Step.Pinned(
                pins,
                from == null || extracted == null
                        ? null
                        : new PinMark.Extent.OfMember(from, size(extracted, from), extracted.bitSize()));
    }

    private static long size(Member member, long bitOffset) {
        return member.isBitField()
                ? Math.floorDiv(bitOffset + member.bitSize() - 1, Byte.SIZE) - Math.floorDiv(bitOffset, Byte.SIZE) + 1
                : member.type().byteSize();
    }

    private static Member located(Member member, long bitOffset) {
        TypeShape type = member.type();
        return new Member(
                member.role(),
                member.name(),
                new MemberLocation.Fixed(bitOffset),
                member.bitSize(),
                member.storageBytes(),
                type);
    }
}
