package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import java.util.HashMap;
import java.util.Map;

/**
 * The names in the string table (btf.rst §2.1), and a count of all text that was made of the section: a few bytes can
 * name the same long string again and again, and the ends of it. For one thread.
 */
final class Texts {

    private final Section btf;
    private final BtfHeader header;
    private final Limits limits;
    private final Map<Long, String> known = new HashMap<>();
    private long charactersMade;

    Texts(Section btf, BtfHeader header, Limits limits) {
        this.btf = btf;
        this.header = header;
        this.limits = limits;
    }

    /**
     * The string at this offset of the table; empty for none.
     *
     * @param recordOffset of the type that names it, for messages
     * @throws MalformedInputException if it starts outside of the table
     * @throws LimitExceededException if it is too long, or all text together is
     */
    String at(long offset, long recordOffset) throws ExtractionException {
        if (offset == 0) {
            return "";
        }
        if (offset >= header.stringsEnd() - header.stringsStart()) {
            throw new MalformedInputException(
                    btf.name(),
                    recordOffset,
                    "string offset " + offset + ", the table has " + (header.stringsEnd() - header.stringsStart())
                            + " bytes" + TypeTable.BROKEN_OR_SPLIT);
        }
        String text = known.get(offset);
        if (text == null) {
            text = btf.string(header.stringsStart() + offset, limits.maxNameBytes());
            count(text.length(), recordOffset);
            known.put(offset, text);
        }
        return text;
    }

    /** Counts text that is about to be kept. */
    void count(long characters, long recordOffset) throws LimitExceededException {
        charactersMade += characters;
        if (charactersMade > limits.maxTextChars()) {
            throw new LimitExceededException(
                    btf.name(),
                    recordOffset,
                    "maxTextChars",
                    limits.maxTextChars(),
                    "names and spellings come to " + charactersMade + " characters");
        }
    }
}
