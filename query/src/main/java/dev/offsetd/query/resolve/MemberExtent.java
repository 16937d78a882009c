package dev.offsetd.query.resolve;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import java.util.ArrayList;
import java.util.List;

/** First and last bits of members in the type that contains them. */
final class MemberExtent {

    private MemberExtent() {}

    /** Returns whether any bit of a member is in this byte of the containing type. */
    static boolean touches(Member member, long at) {
        long from = member.bitOffset();
        return member.isBitField()
                ? from - at * Byte.SIZE < Byte.SIZE && end(member) > at * Byte.SIZE
                : from / Byte.SIZE <= at && end(member) / Byte.SIZE > at;
    }

    /** Returns the members that start last among those that start at or before this byte. */
    static List<Member> lastBefore(AggregateShape aggregate, long at) {
        List<Member> tails = new ArrayList<>();
        long last = -1;
        for (Member member : aggregate.members()) {
            if (member.isBitField() || !(member.location() instanceof MemberLocation.Fixed)) {
                continue;
            }
            long from = member.bitOffset();
            if (from / Byte.SIZE > at) {
                continue;
            }
            if (from > last) {
                tails.clear();
                last = from;
            }
            if (from == last) {
                tails.add(member);
            }
        }
        return tails;
    }

    static long startByte(Member member) {
        return member.bitOffset() / Byte.SIZE;
    }

    /** Returns the end of a member in bits; its start if the size is unknown. */
    static long end(Member member) {
        long from = member.bitOffset();
        long bits =
                member.isBitField() ? member.bitSize() : saturated(member.type().byteSize());
        return from + bits < from ? Long.MAX_VALUE : from + bits;
    }

    /** Returns a size in bits, or the largest number if it has more; 0 if the size is unknown. */
    static long saturated(long bytes) {
        return bytes > Long.MAX_VALUE / Byte.SIZE ? Long.MAX_VALUE : Math.max(bytes, 0) * Byte.SIZE;
    }
}
