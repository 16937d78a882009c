package dev.offsetd.server.startup;

import dev.offsetd.server.database.DataFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;

/**
 * The right to use a data folder: a lock on a file in it, which the system takes back when the process ends in whatever
 * way. The file names its holder.
 */
final class DataFolderLock implements AutoCloseable {

    /** Another process has the lock, and may give it back. */
    static final class HeldException extends StartException {

        HeldException(String message) {
            super(message);
        }
    }

    private final FileChannel channel;
    private final Optional<String> tightened;

    private DataFolderLock(FileChannel channel, Optional<String> tightened) {
        this.channel = channel;
        this.tightened = tightened;
    }

    /** What was taken from other accounts when the lock was taken, in words; empty if nothing. */
    Optional<String> tightened() {
        return tightened;
    }

    /**
     * Takes the lock, making the folder if it is not there, and private in any case.
     *
     * @throws HeldException if another process has it
     * @throws StartException if the folder cannot be used
     */
    static DataFolderLock take(Path folder) throws StartException {
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
            String holder =
                    new ProcessDescription(self.pid(), self.info().commandLine().orElse("offsetd")).toString();
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((holder + "\n").getBytes(StandardCharsets.UTF_8)));
            return new DataFolderLock(channel, tightened);
        } catch (IOException e) {
            String reason = e instanceof FileSystemException ? e.toString() : String.valueOf(e.getMessage());
            throw new StartException(
                    "data folder " + folder + " cannot be used: " + reason + "; or choose another with --data");
        }
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
