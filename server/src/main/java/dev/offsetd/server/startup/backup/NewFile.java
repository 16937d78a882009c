package dev.offsetd.server.startup.backup;

import dev.offsetd.extractor.input.IoReason;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * File that appears once it is complete: written under a temporary name, synced, then renamed. Only its owner can read
 * it, because it contains password hashes.
 */
public final class NewFile implements AutoCloseable {

    private final Path target;
    private final boolean replace;
    private final Path written;
    private final FileChannel channel;

    private NewFile(Path target, boolean replace, Path written, FileChannel channel) {
        this.target = target;
        this.replace = replace;
        this.written = written;
        this.channel = channel;
    }

    /**
     * Opens a new file.
     *
     * @param replace whether an existing file may be overwritten
     * @throws OutputException if it exists and must not be overwritten, or the folder is not writable
     */
    public static NewFile at(Path file, boolean replace) throws OutputException {
        Path target = file.toAbsolutePath().normalize();
        Path folder = target.getParent();
        if (folder == null || Files.isDirectory(target)) {
            throw new OutputException(
                    target + ": a folder; expected the name of a file",
                    new FileAlreadyExistsException(target.toString()));
        }
        if (!replace && Files.exists(target)) {
            throw exists(target);
        }
        try {
            Path written = folder.resolve(target.getFileName() + ".unfinished-"
                    + ProcessHandle.current().pid());
            // Another account may have put a link or a file with this name into a shared folder.
            Files.deleteIfExists(written);
            FileChannel channel = FileChannel.open(
                    written,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            return new NewFile(target, replace, written, channel);
        } catch (IOException e) {
            throw new OutputException(target + ": cannot be written: " + IoReason.of(e), e);
        }
    }

    /** Returns the stream for the content. Close it before {@link #finish}. */
    public OutputStream content() {
        return Channels.newOutputStream(channel);
    }

    /** Returns the number of bytes written so far. */
    public long size() throws OutputException {
        try {
            return Files.size(written);
        } catch (IOException e) {
            throw new OutputException(written + ": " + IoReason.of(e), e);
        }
    }

    /** Syncs the file and renames it. */
    public void finish() throws OutputException {
        try {
            // The writer has closed the stream, and the channel with it.
            try (FileChannel again = FileChannel.open(written, StandardOpenOption.WRITE)) {
                again.force(true);
            }
            if (!replace && Files.exists(target)) {
                throw exists(target);
            }
            Files.move(written, target, StandardCopyOption.ATOMIC_MOVE);
            Path folder = target.getParent();
            if (folder != null) {
                try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
                    directory.force(true);
                }
            }
        } catch (IOException e) {
            throw new OutputException(target + ": cannot be written: " + IoReason.of(e), e);
        }
    }

    private static OutputException exists(Path target) {
        return new OutputException(
                target + ": the file exists; choose another name, or overwrite it with --replace",
                new FileAlreadyExistsException(target.toString()));
    }

    /** Removes the file if it was not finished. */
    @Override
    public void close() throws OutputException {
        try {
            channel.close();
            Files.deleteIfExists(written);
        } catch (IOException e) {
            throw new OutputException(written + ": cannot be removed: " + IoReason.of(e), e);
        }
    }

    /** Thrown when the backup file cannot be written. */
    public static final class OutputException extends Exception {

        OutputException(String message, IOException cause) {
            super(message, cause);
        }
    }
}
