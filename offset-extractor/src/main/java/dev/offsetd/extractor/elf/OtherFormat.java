package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.MalformedInputException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Optional;

/** Formats that people have for ELF, by the bytes that they start with. */
enum OtherFormat {
    PE("a PE file (Windows, EFI)"),
    MACH_O("a Mach-O file (macOS)"),
    FAT_MACH_O("a Mach-O file for several architectures (macOS)"),
    JAVA_CLASS("a Java class file"),
    DEB("a Debian package; extract its files with \"dpkg-deb -x\""),
    RPM("an RPM package; extract its files with \"rpm2archive\" and \"tar -x\""),
    ZIP("a zip archive"),
    AR("an ar archive; name a member, such as lib.a(x.o)"),
    THIN_AR("a thin ar archive; read the files that it refers to"),
    WASM("a WebAssembly module"),
    LZMA("compressed by lzma, which has no mark; decompress it with \"xz -d\""),
    BITCODE("LLVM bitcode, which -flto writes instead of object files; read the linked file");

    /** Java's class files have their version where a fat file has its count of architectures; the lowest is 45. */
    private static final int FIRST_JAVA_VERSION = 45;

    /** The start of {@code debian-binary}, the name of the first member of a Debian package. */
    private static final long DEBIAN_BINARY = 0x64656269616e2d62L;

    private static final int ARCHIVE_MAGIC_BYTES = 8;
    private static final int TEXT_BYTES = 16;

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
            case 0x213c6172 -> {
                in.seek(ARCHIVE_MAGIC_BYTES);
                yield Optional.of(in.u64() == DEBIAN_BINARY ? DEB : AR);
            }
            case 0xedabeedb -> Optional.of(RPM);
            case 0x504b0304 -> Optional.of(ZIP);
            case 0x213c7468 -> Optional.of(THIN_AR);
            case 0x0061736d -> Optional.of(WASM);
            case 0x4243c0de, 0xdec0170b -> Optional.of(BITCODE);
            default -> {
                // The properties that every compressor writes, and a dictionary of whole KiB.
                boolean lzma = first >>> 8 == 0x5d0000;
                yield first >>> 16 == 0x4d5a ? Optional.of(PE) : lzma ? Optional.of(LZMA) : Optional.empty();
            }
        };
    }

    /** Returns whether a file of at least 16 bytes starts with ASCII text. */
    static boolean isText(MemorySegment bytes) throws MalformedInputException {
        ByteCursor in = new Section("file", bytes, ByteOrder.BIG_ENDIAN).cursor();
        for (int i = 0; i < TEXT_BYTES; i++) {
            int c = in.u8();
            if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || c > '~') {
                return false;
            }
        }
        return true;
    }
}
