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
    private static final int MAGIC_BYTES = 4;

    private RawBtf() {}

    static boolean isIn(MemorySegment file) {
        return file.byteSize() >= MAGIC_BYTES
                && file.get(ValueLayout.JAVA_BYTE, 2) == VERSION
                && (magic(file, ByteOrder.LITTLE_ENDIAN) == MAGIC || magic(file, ByteOrder.BIG_ENDIAN) == MAGIC);
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
