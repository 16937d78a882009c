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
import java.util.function.Predicate;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * A file that is being written and hashed in the temporary folder of the disk cache. Closing it removes the file unless it was
 * published. For one thread at a time.
 */
final class IncomingFile implements AutoCloseable {

    /** Start of the names of these files. */
    static final String PREFIX = "incoming-";

    private final Path path;
    private final FileChannel channel;
    private final Predicate<IOException> madeRoom;
    private final MessageDigest digest;
    private long bytes;
    private boolean handedOver;

    private IncomingFile(Path path, FileChannel channel, Predicate<IOException> madeRoom, MessageDigest digest) {
        this.path = path;
        this.channel = channel;
        this.madeRoom = madeRoom;
        this.digest = digest;
    }

    /** @param madeRoom makes room after a failed write; returns whether the write should be retried */
    static IncomingFile create(Path folder, Predicate<IOException> madeRoom) throws DiskException {
        while (true) {
            try {
                Path path = folder.resolve(PREFIX + UUID.randomUUID() + ".part");
                FileChannel channel = FileChannel.open(
                        path,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(DiskCache.OWNER_WRITES));
                return new IncomingFile(path, channel, madeRoom, DigestUtils.getSha256Digest());
            } catch (IOException e) {
                if (!madeRoom.test(e)) {
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
                if (!madeRoom.test(e)) {
                    throw new DiskException(e);
                }
            }
        }
        bytes += length;
        // A fast sender never lets this thread wait, and a virtual thread that does not wait keeps its carrier from
        // the others.
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

    /** Ends the file. Nothing may be written afterwards. Returns the SHA-256 of the file in lower-case hex. */
    String finish() throws DiskException {
        try {
            channel.close();
        } catch (IOException e) {
            throw new DiskException(e);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Returns the file for a receiver, which closes it. Closing this object has no effect afterwards. */
    IncomingFile handOver() {
        handedOver = true;
        IncomingFile received = new IncomingFile(path, channel, madeRoom, digest);
        received.bytes = bytes;
        return received;
    }

    @Override
    public void close() throws DiskException {
        if (handedOver) {
            return;
        }
        try {
            channel.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new DiskException(e);
        }
    }
}
