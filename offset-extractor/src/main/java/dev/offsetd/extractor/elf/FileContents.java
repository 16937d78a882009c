package dev.offsetd.extractor.elf;

import com.github.luben.zstd.ZstdInputStream;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.tukaani.xz.BasicArrayCache;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.XZInputStream;

/**
 * The bytes of a file that debug information is read from: mapped, or decompressed to a temporary file if the file is
 * compressed as kernel modules are, or a part of it if the name is that of a member of an archive, such as
 * {@code lib.a(x.o)}.
 */
public final class FileContents {

    private static final int STEP_BYTES = 1 << 16;

    /** Memory for decompressing xz, in KiB. */
    private static final int MAX_XZ_KIB = 1 << 17;

    private static final ValueLayout.OfInt BIG_ENDIAN_INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final Path file;
    private final Arena arena;
    private final Limits limits;

    private FileContents(Path file, Arena arena, Limits limits) {
        this.file = file;
        this.arena = arena;
        this.limits = limits;
    }

    /**
     * Returns the bytes of a file, or of a member of an archive.
     *
     * @param arena owns their memory
     * @throws ExtractionException if the file is compressed and malformed or too large, or the archive has no such member
     */
    public static MemorySegment of(Path file, Arena arena, Limits limits) throws IOException, ExtractionException {
        ArchiveMember member = ArchiveMember.namedBy(file);
        if (member != null) {
            return member.in(new FileContents(member.archive(), arena, limits).bytes(), limits);
        }
        return new FileContents(file, arena, limits).bytes();
    }

    private MemorySegment bytes() throws IOException, ExtractionException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (!attributes.isRegularFile()) {
            // Opening a pipe would wait for its writer, and neither it nor a folder can be mapped.
            throw new FileSystemException(
                    file.toString(), null, attributes.isDirectory() ? "is a directory" : "is not a regular file");
        }
        MemorySegment bytes = mapped();
        if (bytes.byteSize() < Integer.BYTES) {
            return bytes;
        }
        int magic = bytes.get(BIG_ENDIAN_INT, 0);
        if (magic == 0xfd377a58) {
            return decompressed("xz");
        }
        if (magic == 0x28b52ffd) {
            return decompressed("zstd");
        }
        return magic >>> 16 == 0x1f8b ? decompressed("gzip") : bytes;
    }

    private MemorySegment mapped() throws IOException, ExtractionException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            try {
                return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            } catch (IOException unmappable) {
                // The files that the kernel makes up, as that of its BTF, can be read and not mapped.
                return read(channel);
            }
        }
    }

    private MemorySegment read(FileChannel channel) throws IOException, ExtractionException {
        long size = channel.size();
        if (size > limits.maxHeapSectionBytes()) {
            throw exceeded("maxHeapSectionBytes", limits.maxHeapSectionBytes(), "the file has " + size + " bytes");
        }
        MemorySegment bytes = arena.allocate(Math.max(size, 1)).asSlice(0, size);
        ByteBuffer target = bytes.asByteBuffer();
        while (target.hasRemaining()) {
            if (channel.read(target) < 0) {
                throw new IOException("it ends after " + target.position() + " of " + size + " bytes");
            }
        }
        return bytes;
    }

    private MemorySegment decompressed(String format) throws IOException, ExtractionException {
        Path target = Files.createTempFile("offsetd-file", null);
        try (FileChannel channel = FileChannel.open(
                target, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            decompress(format, channel);
            // The mapping keeps the deleted file alive until the arena closes.
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
        }
    }

    private void decompress(String format, FileChannel target) throws IOException, ExtractionException {
        long maxBytes = Math.min(limits.maxFileBytes(), limits.maxDecompressedBytes());
        byte[] step = new byte[STEP_BYTES];
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(file), STEP_BYTES)) {
            InputStream in = decompressor(format, raw);
            for (int count = next(format, in, step); count >= 0; count = next(format, in, step)) {
                Deadline.checkCurrent();
                if (count > maxBytes - target.position()) {
                    throw exceeded("maxDecompressedBytes", maxBytes, "the " + format + " stream holds more");
                }
                ByteBuffer rest = ByteBuffer.wrap(step, 0, count);
                while (rest.hasRemaining()) {
                    target.write(rest);
                }
            }
        }
    }

    private InputStream decompressor(String format, InputStream raw) throws ExtractionException {
        try {
            return switch (format) {
                // The cache keeps the window from block to block; a block of a few bytes may state one of 128 MiB.
                case "xz" -> new XZInputStream(raw, MAX_XZ_KIB, true, new BasicArrayCache());
                case "zstd" -> new ZstdInputStream(raw);
                default -> new GZIPInputStream(raw);
            };
        } catch (IOException e) {
            throw broken(format, e);
        }
    }

    private int next(String format, InputStream in, byte[] step) throws ExtractionException {
        try {
            return in.read(step);
        } catch (MemoryLimitException e) {
            throw exceeded(
                    "maxXzMemory", (long) MAX_XZ_KIB << 10, "decompressing takes " + e.getMemoryNeeded() + " KiB");
        } catch (IOException e) {
            throw broken(format, e);
        }
    }

    private static MalformedInputException broken(String format, IOException e) {
        return new MalformedInputException(
                "file",
                ExtractionException.NO_OFFSET,
                format + " stream is broken: " + Objects.requireNonNullElse(e.getMessage(), "it ends too early"));
    }

    private static LimitExceededException exceeded(String limit, long allowed, String observed) {
        return new LimitExceededException("file", ExtractionException.NO_OFFSET, limit, allowed, observed);
    }
}
