package dev.offsetd.server.sources;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * A file that is being written and hashed in the temporary folder of the disk cache. Closing it removes the file unless it was
 * published. For one thread at a time.
 */
final class IncomingFile implements AutoCloseable {

    /** Makes room on the disk. */
    @FunctionalInterface
    interface FreeSpace {

        /** Makes room after a failed write. Returns whether the write should be retried. */
        boolean madeAfter(IOException failure);
    }

    /** Start of the names of these files. */
    static final String PREFIX = "incoming-";

    private final Path path;
    private final FileChannel channel;
    private final FreeSpace room;
    private final MessageDigest digest = DigestUtils.getSha256Digest();
    private long bytes;

    private IncomingFile(Path path, FileChannel channel, FreeSpace room) {
        this.path = path;
        this.channel = channel;
        this.room = room;
    }

    /** @param room called when a write fails */
    static IncomingFile create(Path folder, FreeSpace room) throws DiskException {
        while (true) {
            try {
                Path path = folder.resolve(PREFIX + UUID.randomUUID() + ".part");
                FileChannel channel = FileChannel.open(
                        path,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(DiskCache.OWNER_WRITES));
                return new IncomingFile(path, channel, room);
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

    /** Returns the bytes written so far. */
    long bytes() {
        return bytes;
    }

    // Yielding is for carriers, not for a scheduling that the result depends on.
    @SuppressWarnings("ThreadPriorityCheck")
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
        // A fast sender never lets this thread wait, and a virtual thread that does not wait leaves its carrier to no
        // other.
        Thread.yield();
    }

    /** Syncs the file to the disk, so that it survives a power failure. */
    void sync() throws DiskException {
        try {
            channel.force(true);
        } catch (IOException e) {
            throw new DiskException(e);
        }
    }

    /**
     * Ends the file. Nothing may be written afterwards.
     *
     * @return the SHA-256 of the file in lower-case hex
     */
    String finish() throws DiskException {
        try {
            channel.close();
        } catch (IOException e) {
            throw new DiskException(e);
        }
        return HexFormat.of().formatHex(digest.digest());
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
