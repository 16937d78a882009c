package dev.offsetd.query.answer;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.MemberTree.Entry;
import dev.offsetd.query.item.Placement;
import java.util.ArrayList;
import java.util.List;

/**
 * Sums over the direct members of a struct. A hole lies before the end of the last member, padding after it. Whole bytes
 * count as bytes, smaller gaps as bits.
 *
 * @param cacheLines cache lines that a value touches if it is aligned to one
 * @param members direct members, base classes included
 * @param sumMembers bytes of members other than bit-fields
 * @param holes holes of whole bytes
 * @param sumHoles bytes in them
 * @param sumBitFieldBits bits of the bit-fields
 * @param bitHoles holes of less than whole bytes
 * @param sumBitHoles bits in them
 * @param padding bytes after the last member
 * @param bitPadding bits after the last member, before those bytes
 */
record LayoutSummary(
        long cacheLines,
        int members,
        long sumMembers,
        int holes,
        long sumHoles,
        long sumBitFieldBits,
        int bitHoles,
        long sumBitHoles,
        long padding,
        long bitPadding) {

    static LayoutSummary of(AggregateShape aggregate, List<Entry> split) {
        List<Entry> entries = joined(split);
        long end = end(entries);
        int members = 0;
        long sumMembers = 0;
        int holes = 0;
        long sumHoles = 0;
        long bits = 0;
        int bitHoles = 0;
        long sumBitHoles = 0;
        long padding = 0;
        long bitPadding = 0;
        for (Entry entry : entries) {
            switch (entry) {
                case Entry.MemberEntry part -> {
                    members++;
                    if (part.member().isBitField()) {
                        bits += part.member().bitSize();
                    } else {
                        sumMembers += Math.max(part.member().type().byteSize(), 0);
                    }
                }
                case Entry.Padding gap
                when gap.bitOffset() >= end -> {
                    if (gap.isWholeBytes()) {
                        padding += gap.bitSize() / Byte.SIZE;
                    } else {
                        bitPadding += gap.bitSize();
                    }
                }
                case Entry.Padding gap
                when gap.isWholeBytes() -> {
                    holes++;
                    sumHoles += gap.bitSize() / Byte.SIZE;
                }
                case Entry.Padding gap -> {
                    bitHoles++;
                    sumBitHoles += gap.bitSize();
                }
            }
        }
        long size = Math.max(aggregate.byteSize(), 0);
        return new LayoutSummary(
                Math.ceilDiv(size, LayoutText.CACHE_LINE),
                members,
                sumMembers,
                holes,
                sumHoles,
                bits,
                bitHoles,
                sumBitHoles,
                padding,
                bitPadding);
    }

    /** Joins gaps that end and start at a byte boundary. */
    static List<Entry> joined(List<Entry> entries) {
        List<Entry> joined = new ArrayList<>(entries.size());
        for (Entry entry : entries) {
            if (entry instanceof Entry.Padding next
                    && !next.isWholeBytes()
                    && !joined.isEmpty()
                    && joined.getLast() instanceof Entry.Padding last
                    && !last.isWholeBytes()
                    && last.bitOffset() + last.bitSize() == next.bitOffset()) {
                joined.set(joined.size() - 1, new Entry.Padding(last.bitOffset(), last.bitSize() + next.bitSize()));
            } else {
                joined.add(entry);
            }
        }
        return joined;
    }

    /** Returns the end of the last member in bits. */
    static long end(List<Entry> entries) {
        long end = 0;
        for (Entry entry : entries) {
            if (entry instanceof Entry.MemberEntry(var member, Placement.Fixed place, var _)) {
                long bits = member.isBitField() ? member.bitSize() : 0;
                if (!member.isBitField() && place.size() != TypeShape.UNKNOWN_SIZE) {
                    bits = place.size() * Byte.SIZE;
                }
                end = Math.max(end, place.bitOffset() + bits);
            }
        }
        return end;
    }
}
