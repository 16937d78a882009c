package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import java.util.ArrayList;
import java.util.List;

/** A {@code .BTF} section and where its parts are: all of the BTF, or the base or the rest of split BTF. */
record BtfPart(Section section, BtfHeader header) {

    /** Largest alignment of a section, behind which a part may start. */
    private static final int MAX_PADDING = 16;

    static BtfPart read(Section section) throws ExtractionException {
        return new BtfPart(section, BtfHeader.read(section));
    }

    /**
     * Returns the parts of a section, one for each object that it was linked of: linkers append the {@code .BTF} of objects to each
     * other, each with its own header, and with zeros in between to align it.
     *
     * @throws MalformedInputException if something else follows a part
     */
    static List<BtfPart> all(Section section) throws ExtractionException {
        List<BtfPart> parts = new ArrayList<>();
        long start = 0;
        do {
            BtfPart part = read(start == 0 ? section : from(section, start));
            parts.add(part);
            start = nextPart(section, start + part.header.end());
        } while (start < section.size());
        return parts;
    }

    private static Section from(Section section, long start) {
        return new Section(
                section.name() + "+0x" + Long.toHexString(start),
                section.bytes().asSlice(start),
                section.byteOrder());
    }

    /** Returns where the next part starts, or the size of the section if only padding follows. */
    private static long nextPart(Section section, long end) throws ExtractionException {
        ByteCursor in = section.cursor(end, section.size() - end);
        while (in.hasRemaining()) {
            long at = in.offset();
            if (in.u8() != 0) {
                boolean isHeader =
                        section.size() - at >= 2 && section.cursor(at, 2).u16() == BtfHeader.MAGIC;
                if (!isHeader || at - end >= MAX_PADDING) {
                    throw in.malformed(
                            at,
                            "the BTF in front ends at 0x" + Long.toHexString(end)
                                    + "; expected the header of another, or nothing");
                }
                return at;
            }
        }
        return section.size();
    }

    /** Bytes of the string table. */
    long stringBytes() {
        return header.stringsEnd() - header.stringsStart();
    }

    /**
     * Returns whether the type ids and string offsets continue those of a base section. The string table of a base
     * starts with an empty string; that of split BTF does not.
     */
    boolean isSplit() throws ExtractionException {
        return stringBytes() == 0 || section.cursor(header.stringsStart(), 1).u8() != 0;
    }
}
