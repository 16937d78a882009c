package dev.offsetd.extractor.elf;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.bytes.SectionProgress;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompressor of sections: {@code SHF_COMPRESSED} with zlib or zstd (gABI, "Compressed Sections"), and GNU's older
 * {@code .zdebug_*}. The announced size is checked against the limits before anything is allocated, and the stream must
 * have exactly that size. Sections that exceed {@link Limits#maxHeapSectionBytes()} go to a temporary file that is deleted
 * with the arena. Large sections can be read while the rest is being decompressed. Decompression checks the current deadline,
 * also in the background. Not thread-safe.
 */
final class Decompressor {

    private static final int ELFCOMPRESS_ZLIB = 1;
    private static final int ELFCOMPRESS_ZSTD = 2;

    /** Magic number of a {@code .zdebug_*} section. */
    private static final long ZLIB_MAGIC = 0x5a4c4942L;

    /** A step of decompression, after which what is there can be read. */
    private static final int STEP_BYTES = 1 << 18;

    /** Largest capacity of a {@link ByteBuffer} that every JVM supports. */
    private static final int MAX_BUFFER_BYTES = 1 << 30;

    /** Smaller sections are decompressed faster than a thread starts. */
    private static final long SMALLEST_IN_BACKGROUND = 1 << 20;

    private final Arena arena;
    private final Limits limits;
    private long decompressedBytes;
    private long bytesInMemory;
    private final Executor background;
    private final List<SectionProgress> unfinished = new ArrayList<>();

    /** @param background runs what may be read before it is whole */
    Decompressor(Arena arena, Limits limits, Executor background) {
        this.arena = arena;
        this.limits = limits;
        this.background = background;
    }

    /**
     * Waits until all background decompressions have ended.
     *
     * @throws MalformedInputException if a section is malformed; the first one started wins
     */
    void finish() throws MalformedInputException {
        for (SectionProgress progress : unfinished) {
            progress.awaitEnd();
        }
    }

    /** Asks running decompressions to stop. */
    void cancel() {
        unfinished.forEach(SectionProgress::cancel);
    }

    /**
     * Returns the contents of a section that starts with an {@code Elf32_Chdr} or {@code Elf64_Chdr}.
     *
     * @param whole whether all of them have to be there
     * @throws DeadlineExceededException if the current deadline passes
     */
    Section decompress(Section raw, int bits, boolean whole) throws ExtractionException {
        ByteCursor header = raw.cursor();
        long type = header.u32();
        header.skip(3L * bits / 8 - Integer.BYTES);
        if (type != ELFCOMPRESS_ZLIB && type != ELFCOMPRESS_ZSTD) {
            throw new UnsupportedInputException(
                    raw.name(), 0, "ch_type is " + type + "; 1 (zlib) and 2 (zstd) are supported");
        }
        return decompress(raw, type, size(raw, bits), raw.bytes().asSlice(header.offset()), whole);
    }

    /**
     * Returns the contents of a {@code .zdebug_*} section: "ZLIB", the size in 8 bytes, big-endian, and a zlib stream.
     *
     * @param whole whether all of them have to be there
     */
    Section decompressGnu(Section raw, boolean whole) throws ExtractionException {
        ByteCursor header = new Section(raw.name(), raw.bytes(), ByteOrder.BIG_ENDIAN).cursor();
        long magic = header.u32();
        if (magic != ZLIB_MAGIC) {
            throw new MalformedInputException(
                    raw.name(), 0, "starts with 0x" + Long.toHexString(magic) + "; expected 0x5a4c4942 (ZLIB)");
        }
        header.skip(Long.BYTES);
        return decompress(raw, ELFCOMPRESS_ZLIB, gnuSize(raw), raw.bytes().asSlice(header.offset()), whole);
    }

    /** Returns how many bytes {@link #decompress(Section, int, boolean)} makes of a section. */
    static long size(Section raw, int bits) throws MalformedInputException {
        return raw.cursor(bits / 8, bits / 8).unsigned(bits / 8);
    }

    /** Returns how many bytes {@link #decompressGnu} makes of a section. */
    static long gnuSize(Section raw) throws MalformedInputException {
        return new Section(raw.name(), raw.bytes(), ByteOrder.BIG_ENDIAN)
                .cursor(Integer.BYTES, Long.BYTES)
                .u64();
    }

    /** Returns a copy of the section that may be changed. */
    Section copy(Section section) throws LimitExceededException {
        count(section.name(), section.size(), "a section to relocate has ");
        MemorySegment target = allocate(section.name(), section.size());
        target.copyFrom(section.bytes());
        return new Section(section.name(), target, section.byteOrder());
    }

    /** Returns the sections one after the other, as the linker puts those of one name together. */
    Section concatenate(String name, List<Section> pieces) throws LimitExceededException {
        long size = pieces.stream().mapToLong(Section::size).sum();
        count(name, size, "its pieces together have ");
        MemorySegment target = allocate(name, size);
        long at = 0;
        for (Section piece : pieces) {
            target.asSlice(at).copyFrom(piece.bytes());
            at += piece.size();
        }
        return new Section(name, target, pieces.getFirst().byteOrder());
    }

    private Section decompress(Section raw, long type, long size, MemorySegment source, boolean whole)
            throws ExtractionException {
        count(raw.name(), size, "header claims ");
        requirePlausibleSize(raw, source, type, size);
        MemorySegment target = allocate(raw.name(), size);
        SectionProgress progress = new SectionProgress();
        if (whole || size < SMALLEST_IN_BACKGROUND) {
            decompress(raw, type, source, target, progress);
            return new Section(raw.name(), target, raw.byteOrder());
        }
        unfinished.add(progress);
        Deadline deadline = Deadline.currentOr(limits);
        background.execute(() -> {
            try {
                MemorySegment _ = deadline.during(() -> {
                    decompress(raw, type, source, target, progress);
                    return target;
                });
                progress.end(null);
            } catch (MalformedInputException | RuntimeException | Error e) {
                // Readers that wait for the section throw it.
                progress.end(e);
            }
        });
        return new Section(raw.name(), target, raw.byteOrder(), progress);
    }

    private static void decompress(
            Section raw, long type, MemorySegment source, MemorySegment target, SectionProgress progress)
            throws MalformedInputException {
        if (type == ELFCOMPRESS_ZLIB) {
            inflate(raw, source, target, progress);
        } else {
            unzstd(raw, source, target, progress);
        }
    }

    private void count(String section, long size, String who) throws LimitExceededException {
        if (size < 0 || size > limits.maxDecompressedBytes() - decompressedBytes) {
            throw new LimitExceededException(
                    section,
                    ExtractionException.NO_OFFSET,
                    "maxDecompressedBytes",
                    limits.maxDecompressedBytes(),
                    who + Long.toUnsignedString(size));
        }
        decompressedBytes += size;
    }

    /** Refuses a size that the stream cannot give, so that a few bytes do not allocate the whole limit. */
    private static void requirePlausibleSize(Section raw, MemorySegment source, long type, long size)
            throws MalformedInputException {
        if (type == ELFCOMPRESS_ZLIB) {
            // A deflate stream expands at most 1032 times (zlib's technical details).
            if (size / 1032 > source.byteSize()) {
                throw new MalformedInputException(
                        raw.name(),
                        0,
                        "ch_size is " + size + ", but " + source.byteSize() + " bytes of zlib hold less");
            }
            return;
        }
        long frame = source.byteSize() == 0
                ? 0
                : Zstd.getDirectByteBufferFrameContentSize(
                        source.asSlice(0, Math.min(source.byteSize(), 32)).asByteBuffer(), 0, (int)
                                Math.min(source.byteSize(), 32));
        // The densest zstd block repeats one byte 128 KiB times and takes 4 bytes (RFC 8878, 3.1.1.2).
        if (size / (128 << 10) * 4 > source.byteSize()) {
            throw new MalformedInputException(
                    raw.name(), 0, "ch_size is " + size + ", but " + source.byteSize() + " bytes of zstd hold less");
        }
        if (frame > size) {
            throw new MalformedInputException(raw.name(), 0, "ch_size is " + size + ", the zstd frame holds " + frame);
        }
    }

    private MemorySegment allocate(String section, long size) {
        if (size <= limits.maxHeapSectionBytes() - bytesInMemory) {
            bytesInMemory += size;
            return arena.allocate(Math.max(size, 1)).asSlice(0, size);
        }
        try {
            return inFile(size);
        } catch (IOException e) {
            throw new UncheckedIOException(new IOException(
                    section + ": no temporary file of " + size + " bytes in "
                            + System.getProperty("java.io.tmpdir") + " (java.io.tmpdir names another folder): "
                            + e.getMessage(),
                    e));
        }
    }

    /** Returns the bytes of a file that takes its room now: with none left, a store to a mapping would end the process. */
    private MemorySegment inFile(long size) throws IOException {
        Path file = Files.createTempFile("offsetd-section", null);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(size, STEP_BYTES));
            while (channel.position() < size) {
                Deadline.checkCurrent();
                zeros.clear().limit((int) Math.min(size - channel.position(), zeros.capacity()));
                channel.write(zeros);
            }
            // The mapping keeps the deleted file alive until the arena closes.
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
        }
    }

    private static void inflate(Section raw, MemorySegment source, MemorySegment target, SectionProgress progress)
            throws MalformedInputException {
        Inflater inflater = new Inflater();
        try {
            long read = 0;
            long written = 0;
            while (!inflater.finished() && !progress.isCancelled()) {
                Deadline.checkCurrent();
                if (inflater.needsInput()) {
                    long step = Math.min(MAX_BUFFER_BYTES, source.byteSize() - read);
                    if (step == 0) {
                        throw new MalformedInputException(
                                raw.name(),
                                raw.size(),
                                "zlib stream ends after " + written + " of " + target.byteSize() + " bytes");
                    }
                    inflater.setInput(source.asSlice(read, step).asByteBuffer());
                    read += step;
                }
                long room = Math.min(STEP_BYTES, target.byteSize() - written);
                // With no room left one spare byte tells "finished" from "too much".
                ByteBuffer out = room == 0
                        ? ByteBuffer.allocate(1)
                        : target.asSlice(written, room).asByteBuffer();
                int count = inflater.inflate(out);
                if (room == 0 && count > 0) {
                    throw new MalformedInputException(
                            raw.name(),
                            0,
                            "zlib stream holds more than the " + target.byteSize() + " bytes of ch_size");
                }
                written += count;
                progress.advance(written);
                if (count == 0 && !inflater.finished() && (inflater.needsDictionary() || !inflater.needsInput())) {
                    throw new MalformedInputException(raw.name(), 0, "zlib stream needs a dictionary");
                }
            }
            requireFull(raw, written, target);
        } catch (DataFormatException e) {
            throw new MalformedInputException(raw.name(), 0, "zlib stream is broken: " + e.getMessage());
        } finally {
            inflater.end();
        }
    }

    private static void unzstd(Section raw, MemorySegment source, MemorySegment target, SectionProgress progress)
            throws MalformedInputException {
        long written = 0;
        long read = 0;
        try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
            boolean done = false;
            while (!done && !progress.isCancelled()) {
                Deadline.checkCurrent();
                long inStep = Math.min(MAX_BUFFER_BYTES, source.byteSize() - read);
                long outStep = Math.min(STEP_BYTES, target.byteSize() - written);
                ByteBuffer in = source.asSlice(read, inStep).asByteBuffer();
                ByteBuffer out = outStep == 0
                        ? ByteBuffer.allocateDirect(1)
                        : target.asSlice(written, outStep).asByteBuffer();
                boolean frameEnded = context.decompressDirectByteBufferStream(out, in);
                if (outStep == 0 && out.position() > 0) {
                    throw new MalformedInputException(
                            raw.name(), 0, "zstd frame holds more than the " + target.byteSize() + " bytes of ch_size");
                }
                if (!frameEnded && in.position() == 0 && out.position() == 0) {
                    throw new MalformedInputException(
                            raw.name(),
                            raw.size(),
                            "zstd frame ends after " + written + " of " + target.byteSize() + " bytes");
                }
                read += in.position();
                written += outStep == 0 ? 0 : out.position();
                progress.advance(written);
                // The linker mold writes a frame for each MiB (RFC 8878 §3: frames may be appended).
                done = frameEnded && (written == target.byteSize() || read == source.byteSize());
            }
            requireFull(raw, written, target);
        } catch (ZstdException e) {
            throw new MalformedInputException(raw.name(), 0, "zstd frame is broken: " + e.getMessage());
        }
    }

    private static void requireFull(Section raw, long written, MemorySegment target) throws MalformedInputException {
        if (written != target.byteSize()) {
            throw new MalformedInputException(
                    raw.name(), 0, "stream holds " + written + " bytes, ch_size is " + target.byteSize());
        }
    }
}
