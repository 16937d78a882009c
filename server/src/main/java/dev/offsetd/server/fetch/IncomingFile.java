package dev.offsetd.server.fetch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;

/**
 * A file on its way into the disk cache: written and hashed piece by piece in the cache's temporary folder. Closing it
 * removes what was not published. For one thread at a time.
 */
final class IncomingFile implements AutoCloseable {

    /** Makes room on the disk. */
    @FunctionalInterface
    interface Room {

        /** Whether there is room now that a write has failed like this, so that it is worth another try. */
        boolean madeAfter(IOException failure);
    }

    private final Path path;
    private final FileChannel channel;
    private final Room room;
    private final MessageDigest digest = FileHash.sha256();
    private long bytes;

    private IncomingFile(Path path, FileChannel channel, Room room) {
        this.path = path;
        this.channel = channel;
        this.room = room;
    }

    /** @param room asked whenever the disk is full */
    static IncomingFile create(Path folder, Room room) throws DiskException {
        while (true) {
            try {
                Path path = Files.createTempFile(
                        folder, "incoming-", ".part", PosixFilePermissions.asFileAttribute(DiskCache.OWNER_WRITES));
                return new IncomingFile(path, FileChannel.open(path, StandardOpenOption.WRITE), room);
            } catch (IOException e) {
                if (!room.madeAfter(e)) {
                    throw new DiskException(e);
                }
            }
        }
    }

    Path path() {
        return path;
    }

    /** Bytes written so far. */
    long bytes() {
        return bytes;
    }

    void write(byte[] chunk, int length) throws DiskException {
        digest.update(chunk, 0, length);
        ByteBuffer rest = ByteBuffer.wrap(chunk, 0, length);
        while (rest.hasRemaining()) {
            try {
                channel.write(rest);
            } catch (IOException e) {
                if (!room.madeAfter(e)) {
                    throw new DiskException(e);
                }
            }
        }
        bytes += length;
    }

    /** Waits until every byte so far has reached the disk itself, and would be there after a loss of power. */
    void bringToDisk() throws DiskException {
        try {
            channel.force(true);
        } catch (IOException e) {
            throw new DiskException(e);
        }
    }

    /**
     * Ends the file. Nothing is written after this.
     *
     * @return SHA-256 of the file, lower-case hex
     */
    String finish() throws DiskException {
        try {
            channel.close();
        } catch (IOException e) {
            throw new DiskException(e);
        }
        return FileHash.hex(digest);
    }

    @Override
    public void close() throws DiskException {
        try {
            channel.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new DiskException(e);
        }
    }
}
