package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import org.tukaani.xz.BasicArrayCache;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.UnsupportedOptionsException;
import org.tukaani.xz.XZInputStream;

/**
 * The ELF file that some distributions leave in stripped programs, for its symbol table: section {@code .gnu_debugdata},
 * an xz stream (GDB manual, "MiniDebugInfo").
 */
final class MiniDebugInfo {

    static final String SECTION = ".gnu_debugdata";

    private static final int STEP_BYTES = 1 << 16;

    private MiniDebugInfo() {}

    /**
     * Returns the file inside of this one, if there is one.
     *
     * @throws MalformedInputException if the xz stream or the file in it is broken, or that is of another architecture
     * @throws UnsupportedInputException if the stream uses what no known producer does
     * @throws LimitExceededException if the file, or the memory to decompress it, is too large
     */
    static Optional<ElfFile> in(ElfFile elf, SymbolBudget budget, Deadline deadline) throws ExtractionException {
        Section section = elf.section(SECTION);
        if (section.isEmpty()) {
            return Optional.empty();
        }
        MemorySegment bytes = MemorySegment.ofArray(decompress(section, budget, deadline));
        ElfFile inner;
        try {
            // Nothing is decompressed out of it in turn, so the arena stays empty.
            inner = ElfFile.read(bytes, Arena.ofAuto(), budget.limits(), budget.heap(), Runnable::run);
        } catch (MalformedInputException e) {
            throw broken(e);
        }
        if (!inner.architecture().equals(elf.architecture())) {
            throw new MalformedInputException(
                    SECTION,
                    ExtractionException.NO_OFFSET,
                    "holds a file for " + inner.architecture().machine() + "; expected "
                            + elf.architecture().machine() + " as around it");
        }
        return Optional.of(inner);
    }

    /** Returns the fault of the file inside, told of the section that a user can find. */
    static MalformedInputException broken(MalformedInputException inside) {
        return new MalformedInputException(
                SECTION, ExtractionException.NO_OFFSET, "the file in it is broken: " + inside.getMessage());
    }

    private static byte[] decompress(Section section, SymbolBudget budget, Deadline deadline)
            throws ExtractionException {
        Limits limits = budget.limits();
        int maxBytes = limits.maxMiniDebugInfoBytes();
        if (section.size() > maxBytes) {
            throw tooLarge(0, limits, "the section has " + section.size() + " bytes");
        }
        ByteBuffer compressed = section.bytes().asByteBuffer();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        // The cache keeps the window from block to block; a block of a few bytes may state a large one.
        try (InputStream in =
                new XZInputStream(new BufferInput(compressed), maxBytes >> 10, true, new BasicArrayCache())) {
            byte[] step = new byte[STEP_BYTES];
            for (int count = in.read(step); count >= 0; count = in.read(step)) {
                deadline.check(SECTION);
                if (count > maxBytes - out.size()) {
                    throw tooLarge(compressed.position(), limits, "the xz stream holds more");
                }
                // Once where it grows, once in the array that it ends up in.
                budget.keep(2L * count, SECTION);
                out.write(step, 0, count);
            }
        } catch (MemoryLimitException e) {
            throw tooLarge(compressed.position(), limits, "decompressing takes " + e.getMemoryNeeded() + " KiB");
        } catch (UnsupportedOptionsException e) {
            throw new UnsupportedInputException(
                    SECTION, compressed.position(), "xz stream is not supported: " + e.getMessage());
        } catch (IOException e) {
            throw new MalformedInputException(
                    SECTION,
                    compressed.position(),
                    "xz stream is broken: " + Objects.requireNonNullElse(e.getMessage(), "it ends too early"));
        }
        return out.toByteArray();
    }

    private static LimitExceededException tooLarge(long offset, Limits limits, String observed) {
        return new LimitExceededException(
                SECTION, offset, "maxMiniDebugInfoBytes", limits.maxMiniDebugInfoBytes(), observed);
    }

    /** The bytes of a buffer from its position on, which says how far they were read. */
    private static final class BufferInput extends InputStream {

        private final ByteBuffer bytes;

        BufferInput(ByteBuffer bytes) {
            this.bytes = bytes;
        }

        @Override
        public int read() {
            return bytes.hasRemaining() ? bytes.get() & 0xff : -1;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            if (!bytes.hasRemaining()) {
                return -1;
            }
            int count = Math.min(length, bytes.remaining());
            bytes.get(target, offset, count);
            return count;
        }
    }
}
