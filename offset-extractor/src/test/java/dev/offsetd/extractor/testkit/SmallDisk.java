package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** A disk that a test can fill: a tmpfs over a folder. Needs permission to mount one. */
public final class SmallDisk implements AutoCloseable {

    private final Path folder;

    private SmallDisk(Path folder) {
        this.folder = folder;
    }

    /**
     * Mounts a disk.
     *
     * @param options of {@code mount}, among them the size: {@code size=1m}
     */
    public static SmallDisk over(Path folder, String options) {
        if (!run("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString())) {
            throw RequiredTool.unavailable("this user may not mount a tmpfs");
        }
        return new SmallDisk(folder);
    }

    /** Unmounts the disk, also while a process that ends has files on it. */
    @Override
    public void close() {
        run("umount", "--lazy", folder.toString());
    }

    private static boolean run(String... command) {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
