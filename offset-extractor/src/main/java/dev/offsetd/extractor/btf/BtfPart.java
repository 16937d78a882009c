package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.omission.OmissionLog;
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
     * @param log notes what follows a part and is none: then the section is read up to there
     * @throws MalformedInputException if the first is none
     */
    static List<BtfPart> all(Section section, OmissionLog log) throws ExtractionException {
        List<BtfPart> parts = new ArrayList<>();
        BtfPart part = read(section);
        parts.add(part);
        try {
            long start = nextPart(section, part.header.end());
            while (start < section.size()) {
                part = read(from(section, start));
                parts.add(part);
                start = nextPart(section, start + part.header.end());
            }
        } catch (ExtractionException e) {
            log.omit(Part.UNIT, address(parts.size(), 0), e);
        }
        return parts;
    }

    /** Returns the address of a record among those of all parts of a section. */
    static long address(int part, long offset) {
        return (long) part << Integer.SIZE | offset;
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
