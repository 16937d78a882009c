package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Members as pins have them. Places are counted from where the known member's is. */
final class PinnedMembers {

    private static final Pattern TAG = Pattern.compile("\\b(struct|union|class|enum) (?=[A-Za-z_])");

    private PinnedMembers() {}

    /**
     * The member at its pinned place.
     *
     * @param known the member so far, by the debug information or by another pin; null if there is none
     */
    static Member member(String name, PinnedValue.Place place, @Nullable Member known, PinFacts facts) {
        Member extracted = known == null || !facts.clear() ? null : extracted(known);
        Member.Pinned pinned = new Member.Pinned(facts.mark(), extracted);
        PinnedValue.Bits bits = place.bits();
        if (bits != null) {
            long storage = known == null ? 0 : storageBytes(known);
            boolean fits = known != null
                    && storage > 0
                    && bits.bitSize() <= storage * Byte.SIZE
                    && isCalled(place.type(), known.type());
            return new Member(
                    Member.Role.FIELD,
                    name,
                    new MemberLocation.Fixed(bits.bitOffset()),
                    bits.bitSize(),
                    fits ? storage : place.size(),
                    fits && known != null ? known.type() : opaque(place.type(), place.size()),
                    known == null ? null : known.variant(),
                    pinned);
        }
        boolean fits = known != null
                && !known.isBitField()
                && known.type().byteSize() == place.size()
                && isCalled(place.type(), known.type());
        return new Member(
                Member.Role.FIELD,
                name,
                new MemberLocation.Fixed(place.offset() * Byte.SIZE),
                Member.NOT_A_BIT_FIELD,
                0,
                fits && known != null ? known.type() : opaque(place.type(), place.size()),
                known == null ? null : known.variant(),
                pinned);
    }

    /** The member by the debug information alone; null if that has none. */
    static @Nullable Member extracted(Member member) {
        return member.pinned() == null ? member : member.pinned().extracted();
    }

    private static long storageBytes(Member member) {
        return member.isBitField() ? member.storageBytes() : member.type().byteSize();
    }

    /** Whether a pin that calls the type so, or does not say, means this one. */
    private static boolean isCalled(@Nullable String name, TypeShape type) {
        return name == null || comparable(name).equals(comparable(type.spelling()));
    }

    private static String comparable(String spelling) {
        return TypeNames.normalize(TAG.matcher(spelling.strip()).replaceAll(""));
    }

    /** A type of which nothing but its size is known, and maybe what it is called. */
    static TypeShape opaque(@Nullable String name, long bytes) {
        return new BaseShape(name == null ? "unsigned char [" + bytes + "]" : name, bytes, BaseShape.Encoding.OTHER);
    }

    /** The member counted from {@code bits} before where it was counted from. */
    static Member moved(Member member, long bits) {
        Member.Pinned pinned = member.pinned();
        return bits == 0
                ? member
                : new Member(
                        member.role(),
                        member.name(),
                        member.location() instanceof MemberLocation.Fixed(long from)
                                ? new MemberLocation.Fixed(from + bits)
                                : member.location(),
                        member.bitSize(),
                        member.storageBytes(),
                        member.type(),
                        member.variant(),
                        pinned == null || pinned.extracted() == null
                                ? pinned
                                : new Member.Pinned(pinned.pin(), moved(pinned.extracted(), bits)));
    }

    /** The member with another type, and mark. */
    static Member withType(Member member, TypeShape type, Member.@Nullable Pinned pinned) {
        return new Member(
                member.role(),
                member.name(),
                member.location(),
                member.bitSize(),
                member.storageBytes(),
                type,
                member.variant(),
                pinned);
    }
}
