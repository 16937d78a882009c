package dev.offsetd.server.startup;

import dev.offsetd.server.database.DataFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lock on a data folder: a lock on a file in it, which the system releases when the process ends. The file names its holder. */
final class DataFolderLock implements AutoCloseable {

    /** Thrown when another process holds the lock, which it may release later. */
    static final class HeldException extends StartException {

        HeldException(String message) {
            super(message);
        }
    }

    private final FileChannel channel;
    private final @Nullable String tightened;

    private DataFolderLock(FileChannel channel, @Nullable String tightened) {
        this.channel = channel;
        this.tightened = tightened;
    }

    /** Returns which permissions of other accounts were revoked, in words. */
    Optional<String> tightened() {
        return Optional.ofNullable(tightened);
    }

    /**
     * Acquires the lock, creating the folder if necessary and making it private.
     *
     * @throws HeldException if another process holds it
     * @throws StartException if the folder cannot be used
     */
    static DataFolderLock acquire(Path folder) {
        Path file = folder.resolve("server.lock");
        try {
            Optional<String> tightened = DataFolder.makePrivate(folder);
            FileChannel channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    DataFolder.PRIVATE_FILE);
            if (!tryLock(channel)) {
                channel.close();
                throw new HeldException("data folder " + folder + " is in use by "
                        + Files.readString(file).strip() + "; stop it, or choose another folder with --data");
            }
            ProcessHandle self = ProcessHandle.current();
            String holder = new ListeningProcess.ProcessDescription(
                            self.pid(), self.info().commandLine().orElse("offsetd"))
                    .toString();
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((holder + "\n").getBytes(StandardCharsets.UTF_8)));
            return new DataFolderLock(channel, tightened.orElse(null));
        } catch (IOException e) {
            throw new StartException(
                    "data folder " + folder + " cannot be used: " + reason(e) + "; expected a folder that "
                            + DataFolder.account() + " may create or write; choose one with --data");
        }
    }

    /** Returns the reason without the name of an exception. */
    private static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> denied.getFile() + ": permission denied";
            case NoSuchFileException missing -> missing.getFile() + " cannot be created";
            case FileAlreadyExistsException file -> file.getFile() + " is not a folder";
            case FileSystemException other when other.getReason() != null -> other.getFile() + ": " + other.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
