package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * Places of the records about the instructions of a program, in {@code .BTF.ext} (Linux, {@code struct btf_ext_header}).
 *
 * @param functions places of {@code struct bpf_func_info}
 * @param relocations places of {@code struct bpf_core_relo}
 */
record BtfExt(Section section, List<Row> functions, List<Row> relocations) {

    /** Bytes of the header up to the fields for CO-RE relocations, and with them. */
    private static final int HEADER_BYTES = 24;

    private static final int HEADER_WITH_RELOCATIONS_BYTES = 32;

    /** Bytes of the fields for lines, which say nothing about types. */
    private static final int LINES_BYTES = 8;

    /** Bytes that a record of each part has at least. */
    static final int FUNCTION_BYTES = 8;

    static final int RELOCATION_BYTES = 16;

    /**
     * A record.
     *
     * @param section name of the section with the instructions
     * @param at bytes from the start of {@code .BTF.ext}
     */
    record Row(String section, long at) {}

    /**
     * Reads the section. It has no records if its header is of a time before CO-RE.
     *
     * @throws ExtractionException if it is malformed or of an unknown version
     */
    static BtfExt read(Section ext, StringTable strings) throws ExtractionException {
        ByteCursor header = ext.cursor();
        int magic = header.u16();
        if (magic != BtfHeader.MAGIC) {
            throw header.malformed(
                    0, "magic is 0x" + Integer.toHexString(magic) + "; expected 0xeb9f in the file's order");
        }
        int version = header.u8();
        header.skip(1);
        if (version != 1) {
            throw new UnsupportedInputException(ext.name(), 2, "version " + version + "; expected version 1");
        }
        long headerBytes = header.u32();
        if (headerBytes < HEADER_BYTES || headerBytes > ext.size()) {
            throw header.malformed(4, "hdr_len is " + headerBytes + "; expected " + HEADER_BYTES + " to " + ext.size());
        }
        if (headerBytes < HEADER_WITH_RELOCATIONS_BYTES) {
            return new BtfExt(ext, List.of(), List.of());
        }
        ByteCursor functions = ext.cursor(headerBytes + header.u32(), header.u32());
        header.skip(LINES_BYTES);
        ByteCursor relocations = ext.cursor(headerBytes + header.u32(), header.u32());
        return new BtfExt(ext, rows(functions, FUNCTION_BYTES, strings), rows(relocations, RELOCATION_BYTES, strings));
    }

    private static List<Row> rows(ByteCursor in, int leastBytes, StringTable strings) throws ExtractionException {
        List<Row> rows = new ArrayList<>();
        if (!in.hasRemaining()) {
            return rows;
        }
        long recordBytes = in.u32();
        if (recordBytes < leastBytes || recordBytes > in.end()) {
            throw in.malformed(
                    in.offset() - 4, "size of a record is " + recordBytes + "; expected at least " + leastBytes);
        }
        while (in.hasRemaining()) {
            Deadline.checkCurrent();
            String section = strings.at(in.u32(), in.offset());
            long count = in.u32();
            for (long i = 0; i < count; i++) {
                Deadline.checkCurrent(i);
                rows.add(new Row(section, in.offset()));
                in.skip(recordBytes);
            }
        }
        return rows;
    }

    /** Returns the contents of a record. */
    ByteCursor record(Row row, int bytes) throws ExtractionException {
        return section.cursor(row.at(), bytes);
    }

    String name() {
        return section.name();
    }
}
