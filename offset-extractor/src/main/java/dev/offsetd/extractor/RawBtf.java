package dev.offsetd.extractor;

import dev.offsetd.extractor.btf.BtfTypes;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Architecture;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * BTF without ELF around it: {@code /sys/kernel/btf/vmlinux}, the files of BTFHub, and those of {@code bpftool} and
 * {@code pahole}.
 */
final class RawBtf {

    /** BTF does not say for which processor it is. */
    private static final String UNKNOWN_MACHINE = "unknown";

    private static final int MAGIC = 0xeb9f;
    private static final int VERSION = 1;

    /** A header of another version, which a reading refuses, is told by its length. */
    private static final int MIN_HEADER_BYTES = 24;

    private static final int MAX_HEADER_BYTES = 256;

    private RawBtf() {}

    static boolean isIn(MemorySegment file) {
        return file.byteSize() >= 2L * Integer.BYTES
                && (isHeader(file, ByteOrder.LITTLE_ENDIAN) || isHeader(file, ByteOrder.BIG_ENDIAN));
    }

    private static boolean isHeader(MemorySegment file, ByteOrder order) {
        int bytes = file.get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(order), Integer.BYTES);
        return magic(file, order) == MAGIC
                && (file.get(ValueLayout.JAVA_BYTE, 2) == VERSION
                        || (bytes >= MIN_HEADER_BYTES && bytes <= MAX_HEADER_BYTES));
    }

    private static int magic(MemorySegment file, ByteOrder order) {
        return Short.toUnsignedInt(file.get(ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(order), 0));
    }

    /** Returns the file as one whose only section is {@code .BTF}. */
    static ElfFile asElf(MemorySegment file, Arena arena, Limits limits) throws ExtractionException {
        ByteOrder order =
                magic(file, ByteOrder.LITTLE_ENDIAN) == MAGIC ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        Section whole = new Section(DebugSections.BTF, file, order);
        Architecture architecture =
                new Architecture(UNKNOWN_MACHINE, Byte.SIZE * BtfTypes.addressBytes(whole, limits), order);
        return ElfFile.ofSection(whole, architecture, arena, limits);
    }
}
