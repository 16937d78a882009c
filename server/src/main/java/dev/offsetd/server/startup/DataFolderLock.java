package dev.offsetd.server.startup;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

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

    private DataFolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock, making the folder if it is not there.
     *
     * @throws HeldException if another process has it
     * @throws StartException if the folder cannot be used
     */
    static DataFolderLock take(Path folder) throws StartException {
        Path file = folder.resolve("server.lock");
        try {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
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
            return new DataFolderLock(channel);
        } catch (IOException e) {
            throw new StartException(
                    "data folder " + folder + " cannot be used: " + e + "; choose another with --data");
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
