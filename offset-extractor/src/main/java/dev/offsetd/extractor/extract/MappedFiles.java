package dev.offsetd.extractor.extract;

import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/** The files that are read for one answer. They stay mapped until this is closed; nothing of them can be read after. */
final class MappedFiles implements AutoCloseable {

    private final Arena arena = Arena.ofShared();
    private final Limits limits;

    MappedFiles(Limits limits) {
        this.limits = limits;
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
            return ElfFile.read(bytes, arena, limits);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
