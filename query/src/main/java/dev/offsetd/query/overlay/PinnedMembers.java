package dev.offsetd.query.overlay;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import org.jspecify.annotations.Nullable;

/** Makes pinned members. Offsets have the same origin as those of the known member. */
final class PinnedMembers {

    private static final Pattern TAG = Pattern.compile("\\b(?:(?:struct|union|class|enum) )+([A-Za-z_])");

    private final Replacements replacements;

    PinnedMembers(Replacements replacements) {
        this.replacements = replacements;
    }

    /**
     * Returns the member as pinned.
     *
     * @param known the member by the debug information or another pin; null if there is none
     */
    Member member(String name, PinnedValue.OfMember value, @Nullable Member known, ResolvedPin pin) {
        return replacements.put(
                member(name, value, known),
                pin.mark(),
                known == null || !pin.clear() ? null : replacements.extracted(known));
    }

    private static Member member(String name, PinnedValue.OfMember value, @Nullable Member known) {
        PinnedValue.Bits bits = value.bits();
        boolean sameType = known != null && isCalled(value.type(), known.type()) && canHold(known, value);
        TypeShape type = sameType && known != null ? known.type() : opaque(value.type(), value.size());
        return new Member(
                Member.Role.FIELD,
                name,
                new MemberLocation.Fixed(bits == null ? value.offset() * Byte.SIZE : bits.bitOffset()),
                bits == null ? Member.NOT_A_BIT_FIELD : bits.bitSize(),
                bits == null ? 0 : sameType && known != null ? storageBytes(known) : value.size(),
                type,
                known == null ? null : known.variant());
    }

    /** Returns whether a pinned member of this value can have the type of the known one. */
    private static boolean canHold(Member known, PinnedValue.OfMember value) {
        PinnedValue.Bits bits = value.bits();
        if (bits == null) {
            return !known.isBitField() && known.type().byteSize() == value.size();
        }
        long storage = storageBytes(known);
        return storage > 0 && bits.bitSize() <= storage * Byte.SIZE;
    }

    private static long storageBytes(Member member) {
        return member.isBitField() ? member.storageBytes() : member.type().byteSize();
    }

    /** Returns whether a type named in a pin, or null, can be this one. */
    private static boolean isCalled(@Nullable String name, TypeShape type) {
        return name == null || comparable(name).equals(comparable(type.spelling()));
    }

    private static String comparable(String spelling) {
        return TypeNames.normalize(TAG.matcher(spelling.strip()).replaceAll("$1"));
    }

    /** Returns a type of which only the size is known, and maybe the name. */
    static TypeShape opaque(@Nullable String name, long bytes) {
        return new BaseShape(name == null ? "unsigned char [" + bytes + "]" : name, bytes, BaseShape.Encoding.OTHER);
    }

    /** Returns the member with its origin moved by {@code bits} towards the start. */
    Member moved(Member member, long bits) {
        return bits == 0 ? member : replacements.moved(member, at(member, bits), bits);
    }

    static Member at(Member member, long bits) {
        return bits != 0 && member.location() instanceof MemberLocation.Fixed(long from)
                ? new Member(
                        member.role(),
                        member.name(),
                        new MemberLocation.Fixed(from + bits),
                        member.bitSize(),
                        member.storageBytes(),
                        member.type(),
                        member.variant())
                : member;
    }

    /** Returns the member with another type, which was pinned if the member was. */
    Member withType(Member member, TypeShape type) {
        return replacements.sameAs(member, member.withType(type));
    }

    /** Returns the member with another type, whose size a pin has changed. */
    Member withSize(Member member, TypeShape type, AppliedPin pin) {
        return replacements.put(member.withType(type), pin, member);
    }
}
