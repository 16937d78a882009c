package dev.offsetd.extractor;

import dev.offsetd.extractor.btf.BtfTypes;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.elf.FileContents;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Architecture;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A file and its related files, mapped until this is closed, and the threads that decompress their large sections. */
final class MappedFiles implements AutoCloseable {

    private final Arena arena;
    private final Limits limits;
    private final HeapBudget heap;
    private final boolean inBackground;
    private final ExecutorService decompressing;
    private final Map<Path, ElfFile> files = new LinkedHashMap<>();

    private MappedFiles(Arena arena, ReadOptions options, boolean inBackground) {
        this.arena = arena;
        this.limits = options.limits();
        this.heap = options.heap();
        this.inBackground = inBackground;
        this.decompressing = Executors.newCachedThreadPool(
                Thread.ofPlatform().daemon().name("sections").factory());
    }

    /** Returns files for any thread. */
    @SuppressWarnings("MustBeClosed") // close() closes the arena
    static MappedFiles shared(ReadOptions options) {
        return new MappedFiles(Arena.ofShared(), options, options.threads() > 1);
    }

    /** Returns files for the current thread. Closing a shared arena would stop all threads of the JVM for a moment. */
    @SuppressWarnings("MustBeClosed") // close() closes the arena
    static MappedFiles confined(ReadOptions options) {
        return new MappedFiles(Arena.ofConfined(), options, false);
    }

    /** Maps a file and reads its headers, once. */
    ElfFile map(Path file) throws IOException, ExtractionException {
        ElfFile known = files.get(file);
        if (known != null) {
            return known;
        }
        MemorySegment bytes = FileContents.of(file, arena, limits);
        ElfFile read = RawBtf.isIn(bytes)
                ? RawBtf.asElf(bytes, arena, limits)
                : ElfFile.read(bytes, arena, limits, heap, inBackground ? decompressing : Runnable::run);
        files.put(file, read);
        return read;
    }

    /** Code that reads mapped bytes. */
    @FunctionalInterface
    interface Action<T> {
        T run() throws IOException, ExtractionException;
    }

    /** Runs a reading, with its deadline, until all sections are decompressed. */
    <T> T read(Action<T> action) throws IOException, ExtractionException {
        return guarded(() -> {
            T result;
            try {
                result = inTime(action);
            } catch (ExtractionException e) {
                // A section that is still being decompressed may be broken too: that error does not depend on timing.
                finish();
                throw e;
            }
            finish();
            return result;
        });
    }

    /** Runs a reading with the deadline of the work that it is a part of, or else with its own. */
    <T> T inTime(Action<T> action) throws IOException, ExtractionException {
        try {
            return Deadline.currentOr(limits).during(action::run);
        } catch (IOException | ExtractionException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("a reading throws no other exception", e);
        }
    }

    /** Runs an action that reads mapped bytes, and throws what that can cause as checked exceptions. */
    static <T> T guarded(Action<T> action) throws IOException, ExtractionException {
        try {
            return action.run();
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof InterruptedIOException) {
                Thread.currentThread().interrupt();
            }
            throw e.getCause();
        } catch (DeadlineExceededException e) {
            throw e.ofFile();
        } catch (InternalError e) {
            // The virtual machine throws this if a page of a mapped file cannot be read.
            throw new MalformedInputException(
                    "file",
                    ExtractionException.NO_OFFSET,
                    "a part of it became unreadable: the file was truncated, or the disk is faulty (" + e.getMessage()
                            + ")");
        }
    }

    /**
     * Waits for the sections that are still being decompressed.
     *
     * @throws MalformedInputException if the contents of one are broken
     */
    private void finish() throws MalformedInputException {
        for (ElfFile file : files.values()) {
            file.finish();
        }
    }

    @Override
    public void close() {
        files.values().forEach(ElfFile::cancel);
        decompressing.close();
        arena.close();
    }

    /**
     * BTF without ELF around it: {@code /sys/kernel/btf/vmlinux}, the files of BTFHub, and those of {@code bpftool} and
     * {@code pahole}.
     */
    private static final class RawBtf {

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
}
