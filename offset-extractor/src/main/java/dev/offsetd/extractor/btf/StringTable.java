package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Strings of the section (btf.rst §2.1). Counts all text that is created: a few bytes can refer to one long string, and
 * to its suffixes, many times. Not thread-safe.
 */
final class StringTable {

    /** Heap of a text without its characters, and of its place in a map. */
    private static final int TEXT_BYTES = 128;

    /** Up to two in memory, and what the catalogue has of it in entries and indexes. */
    private static final int CHARACTER_BYTES = 4;

    private final BtfPart base;
    private final BtfPart last;
    private final long startOfLast;
    private final Limits limits;
    private final HeapBudget heap;
    private final Map<Long, String> known = new HashMap<>();
    private long charactersMade;

    /** @param parts one section, or the base of split BTF and the section whose offsets continue it */
    StringTable(List<BtfPart> parts, Limits limits, HeapBudget heap) {
        this.base = parts.getFirst();
        this.last = parts.getLast();
        this.startOfLast = parts.size() > 1 ? base.stringBytes() : 0;
        this.limits = limits;
        this.heap = heap;
    }

    /**
     * Returns the string at this offset of the table; empty for none.
     *
     * @param recordOffset of the type that names it, for messages
     * @throws MalformedInputException if it starts outside of the table
     * @throws LimitExceededException if it is too long, or all text together is
     */
    String at(long offset, long recordOffset) throws ExtractionException {
        if (offset == 0) {
            return "";
        }
        long end = startOfLast + last.stringBytes();
        if (offset >= end) {
            throw new MalformedInputException(
                    last.section().name(),
                    recordOffset,
                    "string offset " + offset + ", the table has " + end + " bytes" + TypeTable.BROKEN_OR_SPLIT);
        }
        String text = known.get(offset);
        if (text == null) {
            BtfPart part = offset < startOfLast ? base : last;
            long inPart = offset < startOfLast ? offset : offset - startOfLast;
            text = part.section().string(part.header().stringsStart() + inPart, limits.maxNameBytes());
            count(text.length(), recordOffset);
            known.put(offset, text);
        }
        return text;
    }

    /** Counts text that is about to be kept. */
    void count(long characters, long recordOffset) throws LimitExceededException {
        charactersMade += characters;
        heap.keep(TEXT_BYTES + CHARACTER_BYTES * characters, last.section().name(), recordOffset);
        if (charactersMade > limits.maxTextChars()) {
            throw new LimitExceededException(
                    last.section().name(),
                    recordOffset,
                    "maxTextChars",
                    limits.maxTextChars(),
                    "names and spellings come to " + charactersMade + " characters");
        }
    }
}
