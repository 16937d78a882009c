package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.MalformedInputException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Optional;

/** Formats that people have for ELF, by the bytes that they start with. */
enum OtherFormat {
    PE("a PE file, as Windows and EFI have them"),
    MACH_O("a Mach-O file, as macOS has them"),
    FAT_MACH_O("a Mach-O file for several architectures, as macOS has them"),
    JAVA_CLASS("a Java class file"),
    AR("an ar archive; its members can be read after \"ar x\""),
    THIN_AR("a thin ar archive, which only names its members; they can be read where they are"),
    WASM("a WebAssembly module"),
    BITCODE("LLVM bitcode, as -flto leaves it in place of object files; what is linked of it can be read"),
    GZIP("compressed by gzip"),
    XZ("compressed by xz"),
    ZSTD("compressed by zstd");

    /** Java's class files have their version where a fat file has its count of architectures; the lowest is 45. */
    private static final int FIRST_JAVA_VERSION = 45;

    private final String description;

    OtherFormat(String description) {
        this.description = description;
    }

    /** Returns what the file is, behind "the file is". */
    String description() {
        return description;
    }

    /**
     * Returns the format of a file.
     *
     * @param bytes the file, or its start of at least 16 bytes
     * @return empty if it is none of these
     */
    static Optional<OtherFormat> of(MemorySegment bytes) throws MalformedInputException {
        ByteCursor in = new Section("file", bytes, ByteOrder.BIG_ENDIAN).cursor();
        int first = (int) in.u32();
        int second = (int) in.u32();
        return switch (first) {
            case 0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe -> Optional.of(MACH_O);
            case 0xcafebabf -> Optional.of(FAT_MACH_O);
            case 0xcafebabe -> Optional.of((second & 0xffff) < FIRST_JAVA_VERSION ? FAT_MACH_O : JAVA_CLASS);
            case 0x213c6172 -> Optional.of(AR);
            case 0x213c7468 -> Optional.of(THIN_AR);
            case 0x0061736d -> Optional.of(WASM);
            case 0x4243c0de, 0xdec0170b -> Optional.of(BITCODE);
            case 0xfd377a58 -> Optional.of(XZ);
            case 0x28b52ffd -> Optional.of(ZSTD);
            default ->
                first >>> 16 == 0x4d5a
                        ? Optional.of(PE)
                        : first >>> 16 == 0x1f8b ? Optional.of(GZIP) : Optional.empty();
        };
    }
}
