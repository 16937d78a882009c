package dev.offsetd.packages;

import com.google.re2j.Pattern;
import java.util.HexFormat;
import org.apache.commons.compress.archivers.tar.TarUtils;

/** Format of a file, detected by its first bytes and not by its name. */
enum FileFormat {
    ELF("7f454c46", "an ELF file"),
    /** {@code !<arch>}, the end of the line, and {@code debian-binary}: other ar archives contain object files. */
    DEB("213c617263683e0a64656269616e2d62696e617279", "a Debian package"),
    /** The lead of a package file (RPM V4 format, "Lead"). */
    RPM("edabeedb", "an RPM package"),
    /** {@code 07070} and 1, 2 or 7: new, new with sums, old. */
    CPIO("30373037303[127]", "a cpio archive"),
    GZIP("1f8b08", "compressed by gzip"),
    XZ("fd377a585a00", "compressed by xz"),
    ZSTD("28b52ffd", "compressed by zstd"),
    /** {@code BZh}, the size of a block as a digit, and the first block's mark, the digits of pi. */
    BZIP2("425a683[1-9]314159265359", "compressed by bzip2"),
    TAR("", "a tar archive"),
    OTHER("", "of another format");

    /** Length of the prefix for detection: the header of a tar entry. */
    static final int START_BYTES = 512;

    private static final int MAGIC_BYTES = 21;

    /** Magic numbers in hex. */
    private final Pattern magic;

    private final String description;

    /**
     * @param magic an expression for the first bytes in hex; empty if they do not tell
     * @param description what a file of this format is, for messages
     */
    FileFormat(String magic, String description) {
        // Hex has no dash, so a format without a magic number is not found by one.
        this.magic = Pattern.compile(magic.isEmpty() ? "-" : magic);
        this.description = description;
    }

    String description() {
        return description;
    }

    /** @param start the first {@link #START_BYTES} of a file, or all of a shorter one */
    static FileFormat of(byte[] start) {
        String hex = HexFormat.of().formatHex(start, 0, Math.min(start.length, MAGIC_BYTES));
        for (FileFormat format : values()) {
            if (format.magic.matcher(hex).lookingAt()) {
                return format;
            }
        }
        return start.length == START_BYTES && isTar(start) ? TAR : OTHER;
    }

    /** The oldest kind of tar has no magic, but all have a sum over their header. */
    private static boolean isTar(byte[] header) {
        try {
            return TarUtils.verifyCheckSum(header);
        } catch (IllegalArgumentException notANumber) {
            return false;
        }
    }
}
