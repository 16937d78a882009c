package dev.offsetd.server.backup;

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
 * A file that is there once it is whole: it is written beside its place, brought to the disk, and then given its name. Only its
 * owner can read it: it holds hashes of passwords.
 */
public final class NewFile implements AutoCloseable {

    private final Path place;
    private final boolean replace;
    private final Path written;
    private final FileChannel channel;

    private NewFile(Path place, boolean replace, Path written, FileChannel channel) {
        this.place = place;
        this.replace = replace;
        this.written = written;
        this.channel = channel;
    }

    /**
     * Begins one.
     *
     * @param replace whether a file that is there already may go
     * @throws OutputException if there is one that may not, or the folder cannot be written to
     */
    public static NewFile at(Path file, boolean replace) throws OutputException {
        Path place = file.toAbsolutePath().normalize();
        Path folder = place.getParent();
        if (folder == null || Files.isDirectory(place)) {
            throw new OutputException(
                    place + ": a folder; expected the name of a file",
                    new FileAlreadyExistsException(place.toString()));
        }
        if (!replace && Files.exists(place)) {
            throw exists(place);
        }
        try {
            Path written = folder.resolve(place.getFileName() + ".unfinished-"
                    + ProcessHandle.current().pid());
            FileChannel channel = FileChannel.open(
                    written,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            return new NewFile(place, replace, written, channel);
        } catch (IOException e) {
            throw new OutputException(place + ": cannot be written: " + e, e);
        }
    }

    /** Takes what is written; {@link #finish} is called once it is closed. */
    public OutputStream content() {
        return Channels.newOutputStream(channel);
    }

    /** Bytes written so far. */
    public long size() throws OutputException {
        try {
            return Files.size(written);
        } catch (IOException e) {
            throw new OutputException(written + ": " + e, e);
        }
    }

    /** Brings it to the disk and gives it its name. */
    public void finish() throws OutputException {
        try {
            // Whoever wrote to it has closed it, the channel with it.
            try (FileChannel again = FileChannel.open(written, StandardOpenOption.WRITE)) {
                again.force(true);
            }
            if (!replace && Files.exists(place)) {
                throw exists(place);
            }
            Files.move(written, place, StandardCopyOption.ATOMIC_MOVE);
            Path folder = place.getParent();
            if (folder != null) {
                try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
                    directory.force(true);
                }
            }
        } catch (IOException e) {
            throw new OutputException(place + ": cannot be written: " + e, e);
        }
    }

    private static OutputException exists(Path place) {
        return new OutputException(
                place + ": there is a file already; another name, or --replace, which writes over it",
                new FileAlreadyExistsException(place.toString()));
    }

    /** Removes what was not finished. */
    @Override
    public void close() throws OutputException {
        try {
            channel.close();
            Files.deleteIfExists(written);
        } catch (IOException e) {
            throw new OutputException(written + ": cannot be removed: " + e, e);
        }
    }
}
