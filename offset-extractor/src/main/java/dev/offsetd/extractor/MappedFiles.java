package dev.offsetd.extractor;

import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The files that are read for one answer, and the threads that decompress their large sections. They stay mapped until this is
 * closed; nothing of them can be read after.
 */
final class MappedFiles implements AutoCloseable {

    private final Arena arena;
    private final Limits limits;
    private final int threads;
    private final ExecutorService decompressing;
    private final List<ElfFile> files = new ArrayList<>();

    /** @param threads how many will read them */
    MappedFiles(Limits limits, int threads) {
        this.limits = limits;
        this.threads = threads;
        // Closing a shared arena stops all threads of the virtual machine for a moment.
        this.arena = threads == 1 ? Arena.ofConfined() : Arena.ofShared();
        this.decompressing = Executors.newCachedThreadPool(
                Thread.ofPlatform().daemon().name("sections-", 0).factory());
    }

    /** Maps a file and reads its headers. */
    ElfFile map(Path file) throws IOException, ExtractionException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (!attributes.isRegularFile()) {
            // Opening a pipe would wait for its writer, and neither it nor a folder can be mapped.
            throw new FileSystemException(
                    file.toString(), null, attributes.isDirectory() ? "is a directory" : "is no regular file");
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MemorySegment bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            ElfFile read = ElfFile.read(bytes, arena, limits, threads == 1 ? Runnable::run : decompressing);
            files.add(read);
            return read;
        }
    }

    /**
     * Waits for the sections that are still being decompressed.
     *
     * @throws MalformedInputException if the contents of one are broken
     */
    void finish() throws MalformedInputException {
        for (ElfFile file : files) {
            file.finish();
        }
    }

    @Override
    public void close() {
        files.forEach(ElfFile::cancel);
        decompressing.close();
        arena.close();
    }
}
