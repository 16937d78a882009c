package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;

/**
 * Where the two parts of BTF are, out of {@code struct btf_header} (btf.rst §2). All in bytes from the start of the
 * section.
 *
 * @param typesEnd exclusive
 * @param stringsEnd exclusive; the byte before it, if there is one, is null
 * @param end behind all parts
 */
record BtfHeader(long typesStart, long typesEnd, long stringsStart, long stringsEnd, long end) {

    static final int MAGIC = 0xeb9f;
    private static final int HEADER_BYTES = 24;

    /** Bytes of the header of Linux 7, which adds where the sizes of the kinds are. */
    private static final int HEADER_BYTES_WITH_LAYOUT = 32;

    /**
     * Reads and checks the header.
     *
     * @throws MalformedInputException if it is none, or a part lies outside the section
     * @throws UnsupportedInputException if it is of another version, or has flags
     */
    static BtfHeader read(Section btf) throws ExtractionException {
        ByteCursor in = btf.cursor();
        int magic = in.u16();
        if (magic != MAGIC) {
            throw in.malformed(0, "magic is 0x" + Integer.toHexString(magic) + "; expected 0xeb9f in the file's order");
        }
        int version = in.u8();
        int flags = in.u8();
        if (version != 1 || flags != 0) {
            throw new UnsupportedInputException(
                    btf.name(), 2, "version " + version + " with flags " + flags + "; expected version 1, flags 0");
        }
        long headerBytes = in.u32();
        if (headerBytes < HEADER_BYTES || headerBytes > btf.size()) {
            throw in.malformed(4, "hdr_len is " + headerBytes + "; expected " + HEADER_BYTES + " to " + btf.size());
        }
        long typesStart = headerBytes + in.u32();
        long typesEnd = typesStart + in.u32();
        long stringsStart = headerBytes + in.u32();
        long stringsEnd = stringsStart + in.u32();
        long end = Math.max(typesEnd, stringsEnd);
        if (headerBytes >= HEADER_BYTES_WITH_LAYOUT) {
            long layoutStart = headerBytes + in.u32();
            end = Math.max(end, layoutStart + in.u32());
        }
        if (typesEnd > btf.size() || stringsEnd > btf.size()) {
            throw in.malformed(
                    8,
                    "types end at 0x" + Long.toHexString(typesEnd) + ", strings at 0x" + Long.toHexString(stringsEnd)
                            + "; the section has " + btf.size() + " bytes");
        }
        if (stringsStart < stringsEnd && btf.cursor(stringsEnd - 1, 1).u8() != 0) {
            throw in.malformed(stringsEnd - 1, "the last string does not end");
        }
        return new BtfHeader(typesStart, typesEnd, stringsStart, stringsEnd, Math.min(end, btf.size()));
    }
}
