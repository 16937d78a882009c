package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;

/** A {@code .BTF} section and where its parts are: all of the BTF, or the base or the rest of split BTF. */
record BtfPart(Section section, BtfHeader header) {

    static BtfPart read(Section section) throws ExtractionException {
        return new BtfPart(section, BtfHeader.read(section));
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
